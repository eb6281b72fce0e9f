import { afterAll, beforeAll, describe, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { appForFuzzing, sendFuzzedRequests, sendRandomLines } from '../support/fuzz-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await appForFuzzing();
});
afterAll(() => app.close());

describe('a few hundred hostile requests', () => {
  it('GQ-05 cause no status 500 and show no internal details', async () => {
    await sendFuzzedRequests(app, 400);
  }, 60_000);

  it('GQ-05 are refused or answered when they are not HTTP', async () => {
    await sendRandomLines(app, 50);
  }, 60_000);
});
