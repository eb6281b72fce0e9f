import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies, companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { appBehindProxy } from '../support/without-database.ts';

let app: Awaited<ReturnType<typeof appBehindProxy>>;
beforeAll(async () => {
  app = await appBehindProxy();
});
afterAll(() => app.close());

const kyb = () => app.post('/v1/kyb', { identifier: companies[0]?.cnpj, country: 'BR' });
const status = async () => (await app.server.inject('/readyz')).json().status;

describe.each(['refuse', 'silent'] as const)('without the database (%s)', (mode) => {
  async function withoutDatabase<T>(work: () => Promise<T>): Promise<T> {
    app.proxy.newConnections(mode);
    if (mode === 'refuse') app.proxy.cut();
    else app.proxy.freeze();
    try {
      return await work();
    } finally {
      app.proxy.newConnections('pass');
      app.proxy.cut();
      await expect.poll(status, { timeout: 15_000 }).toBe('ready');
    }
  }

  it('DB-02 DB-10 every mutation and every request that needs it is SERVICE_UNAVAILABLE, and answers in memory are given', async () => {
    const outcomes = await withoutDatabase(() =>
      Promise.all(app.requests().map(async ({ send, ...request }) => ({ ...request, got: await send() }))),
    );
    expect(outcomes.length).toBeGreaterThan(10);
    expect(outcomes.filter(({ outcome, got }) => got !== outcome)).toEqual([]);
    expect(app.lines.filter(({ msg }) => msg === 'request failed' || msg === 'resolver failed')).toEqual([]);
    await expect.poll(async () => (await kyb()).status, { timeout: 15_000 }).toBe(200);
  });

  it('DB-10 a check whose answer is not in memory is refused, and is no partial answer', async () => {
    const { status: code, body } = await withoutDatabase(async () => {
      await expect.poll(status, { timeout: 5_000 }).toBe('degraded');
      return app.post('/v1/compliance-br', { cnpj: companyByScenario(mode === 'refuse' ? 'sanctioned' : 'debarred-both').cnpj });
    });
    expect([code, body.code]).toEqual([503, 'service_unavailable']);
  });

  it('DB-10 answers from memory are counted once each, when the database is back', async () => {
    const counted = async () => {
      await app.drainUsage();
      return Number((await app.db('usage_counters').where({ module: 'kyb' }).sum({ used: 'used' }).first())?.used);
    };
    const before = await counted();
    const answers = await withoutDatabase(() => Promise.all(Array.from({ length: 10 }, kyb)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
    await expect.poll(counted, { timeout: 30_000 }).toBe(before + 10);
  });
});
