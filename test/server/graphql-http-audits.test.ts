import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { listening } from './sockets/support.ts';

let app: TestApp;
let url = '';
beforeAll(async () => {
  app = await testApp({ listsTried: false });
  url = `http://${await listening(app)}/graphql`;
});
afterAll(() => app.close());

/** With a key, and with the header by which a program shows that no web page made it ask. */
const fetchFn: typeof fetch = (input, init) =>
  fetch(input, {
    ...init,
    headers: { ...(init?.headers as Record<string, string>), 'x-api-key': app.key, 'apollo-require-preflight': 'true' },
  });

describe('GraphQL over HTTP', () => {
  it('GQ-01 passes every audit of the specification but three pieces of advice', async () => {
    const audits = serverAudits({ url, fetchFn });
    const results = await Promise.all(audits.map(async ({ fn }) => fn()));
    const short = results.filter(({ status }) => status !== 'ok').map(({ status, id }) => `${status} ${id}`);
    // They advise 200 for documents that cannot be run, where a client accepts application/json alone: we answer 400 to all.
    expect([results.length, short.sort()]).toEqual([61, ['warn 572B', 'warn 7B9B', 'warn FDE2']]);
  });
});
