import { expect, it, onTestFinished } from 'vitest';
import { companies } from '../../../sandbox/world/brazil/world.ts';
import type { TestApp } from '../../support/app.ts';
import { appWithFaults } from '../../support/app-with-faults.ts';
import { isFull, rounds } from '../../support/rounds.ts';
import { quantile } from './service.ts';

/** The registry answers so many calls at once: more checks of other companies wait for it. */
const COMPANIES = 16;
const CHECKS = 50;
const SOURCE_MS = 300;
const ROUNDS = rounds(20);

const distinct = companies.filter(({ knownTo }) => knownTo === 'both').map(({ cnpj }) => cnpj);

it(`LD-02 ${CHECKS} consolidated checks of ${COMPANIES} companies at once call a registry of ${SOURCE_MS} ms once for each company; in a full run p95 is at most 600 ms`, async () => {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const app = await appWithFaults({}); // a new process has an empty cache
    try {
      app.upstreams.faults.set('receita_federal', { mode: 'slow', ms: SOURCE_MS });
      const keys = await keysOf(app);
      const timed = async (cnpj: string, i: number) => {
        const startedAt = performance.now();
        const { status, body } = await app.post('/v1/compliance-br', { cnpj }, keys[i % keys.length]);
        expect([status, body.sources_failed]).toEqual([200, []]);
        return performance.now() - startedAt;
      };
      await timed(distinct[COMPANIES] ?? '', 0); // compiles the code of a check
      const before = app.upstreams.requestsTo('receita_federal').length;
      times.push(...(await Promise.all(Array.from({ length: CHECKS }, (_, i) => timed(distinct[i % COMPANIES] ?? '', i)))));
      expect(app.upstreams.requestsTo('receita_federal').length - before).toBe(COMPANIES);
    } finally {
      await app.close();
    }
  }
  console.log(`p95 ${Math.round(quantile(times, 0.95))} ms, most ${Math.round(Math.max(...times))} ms of ${times.length} checks`);
  if (!isFull) return;
  expect(quantile(times, 0.95)).toBeLessThanOrEqual(600);
  expect(Math.max(...times)).toBeLessThanOrEqual(10_000);
});

it('LD-02 fifty checks at once of other companies, with five keys, are all answered; in a full run within ten seconds', async () => {
  const app = await appWithFaults({});
  onTestFinished(() => app.close());
  const keys = await keysOf(app);
  app.upstreams.faults.set('receita_federal', { mode: 'slow', ms: SOURCE_MS });
  const startedAt = performance.now();
  const ask = (cnpj: string, i: number) => app.post('/v1/compliance-br', { cnpj }, keys[i % keys.length]);
  const answers = await Promise.all(distinct.slice(0, 50).map(ask));
  expect(answers.map(({ status, body }) => [status, body.sources_failed])).toEqual(Array(50).fill([200, []]));
  if (isFull) expect(performance.now() - startedAt).toBeLessThanOrEqual(10_000);
});

/** A key has fewer requests in progress at once. */
const keysOf = (app: TestApp): Promise<readonly string[]> => Promise.all(Array.from({ length: 5 }, () => app.keyFor('compliance_br')));
