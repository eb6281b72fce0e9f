import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const { cnpj } = companyByScenario('clean');
let app: TestApp;
let strict: string;
beforeAll(async () => {
  app = await testApp();
  strict = (await app.keys.create({ name: 'strict', modules: ['compliance_br'], failsIncomplete: true })).key;
});
afterAll(() => app.close());

/** Makes every source of the check fail. */
async function withoutSources<T>(work: () => Promise<T>): Promise<T> {
  for (const mirror of ['receita_federal', 'opencnpj'] as const) app.sandbox?.faults.set(mirror, { mode: 'html_404' });
  await app.db.raw('ALTER TABLE registry_entries RENAME TO registry_entries_away');
  try {
    return await work();
  } finally {
    await app.db.raw('ALTER TABLE registry_entries_away RENAME TO registry_entries');
    app.sandbox?.faults.clear();
  }
}

it('a check that no source answered says so in a header, is 503 for a key that takes it as an error, and is not counted', async () => {
  await withoutSources(async () => {
    const answer = await app.post('/v1/compliance-br', { cnpj });
    expect([answer.status, answer.headers['quipu-completeness'], answer.body.completeness]).toEqual([200, 'insufficient', 'insufficient']);
    const failed = await app.post('/v1/compliance-br', { cnpj }, strict);
    expect([failed.status, failed.body.code, failed.headers['retry-after']]).toEqual([503, 'source_unavailable', '30']);
    const { body } = await app.query(`{ company(identifier: "${cnpj}") { compliance { riskLevel } } }`, {}, strict);
    expect(body).toMatchObject({ data: { company: { compliance: null } }, errors: [{ extensions: { code: 'SOURCE_UNAVAILABLE' } }] });
  });
  await app.drainUsage();
  expect(await app.db('usage_events')).toEqual([]);
});

it('a complete check says so in a header, also when it is replayed', async () => {
  const headers = { 'x-api-key': strict, 'idempotency-key': randomUUID() };
  const ask = () => app.server.inject({ method: 'POST', url: '/v1/compliance-br', headers, payload: { cnpj } });
  for (const replayed of [undefined, 'true']) {
    const answer = await ask();
    expect([answer.statusCode, answer.headers['quipu-completeness'], answer.headers['idempotent-replayed']]).toEqual([
      200,
      'complete',
      replayed,
    ]);
  }
});
