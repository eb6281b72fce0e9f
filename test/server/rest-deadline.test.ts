import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { until } from '../support/until.ts';
import { startUpstream } from '../support/upstream.ts';

/** A registry that accepts every request and answers none. */
let silent: Awaited<ReturnType<typeof startUpstream>>;
let app: TestApp;
beforeAll(async () => {
  silent = await startUpstream(() => () => undefined);
  app = await testApp({ env: { QUIPU_RECEITA_URL: silent.url, QUIPU_DEADLINE: '1s' } });
});
afterAll(async () => {
  await app.close();
  await silent.close();
});

const { cnpj } = companyByScenario('clean');
const { cnpj: other } = companyByScenario('debarred-ceis');
const counted = async () => {
  await app.drainUsage();
  return Number((await app.db('usage_counters').sum('used as used').first())?.used ?? 0);
};

/** Locks a table, so that statements on it wait. Returns a function that unlocks it. */
async function lockTable(table: string): Promise<() => Promise<unknown>> {
  const lock = await app.db.transaction();
  await lock.raw('LOCK TABLE ?? IN ACCESS EXCLUSIVE MODE', [table]);
  return () => lock.commit();
}

describe('UP-01 a REST request that takes too long', () => {
  it('is answered with 504 deadline_exceeded, and its upstream calls are cancelled', async () => {
    const { status, headers, body } = await app.post('/v1/kyb', { identifier: cnpj, country: 'BR' });
    expect([status, headers['content-type']]).toEqual([504, 'application/problem+json; charset=utf-8']);
    expect(body).toMatchObject({ code: 'deadline_exceeded', detail: expect.stringMatching(/in time/), request_id: expect.any(String) });
    await until(() => silent.open() === 0);
  });

  it.each([
    ['by REST', cnpj, async () => expect((await app.post('/v1/labor', { identifier: cnpj, country: 'BR' })).status).toBe(504)],
    [
      'by GraphQL, where its field is null',
      other,
      async () => {
        const { body } = await app.query(`{ company(identifier: "${other}") { labor { hasViolations } } }`);
        expect(body.errors).toMatchObject([{ extensions: { code: 'DEADLINE_EXCEEDED' } }]);
      },
    ],
  ])('is not counted when its data arrive afterwards, %s: only its answered repetition is', async (_, identifier, ask) => {
    const before = await counted();
    const unlock = await lockTable('registry_entries');
    await ask();
    await unlock();
    expect((await app.post('/v1/labor', { identifier, country: 'BR' })).status).toBe(200);
    expect(await counted()).toBe(before + 1);
  });
});
