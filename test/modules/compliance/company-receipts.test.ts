import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const { cnpj } = companyByScenario('clean');
const { rut } = chileanByScenario('cl-clean');
const ISSUE = `query ($id: String!, $country: Country!) { company(identifier: $id, country: $country) {
  compliance(receipt: true) { evidence { id sequence verdict } } } }`;
const READ = `query ($id: String!, $country: Country!, $first: Int, $after: String) { company(identifier: $id, country: $country) {
  receipts(first: $first, after: $after) { nodes { id sequence identifier verdict completeness issuedAt } pageInfo { hasNextPage endCursor } } } }`;

describe('the receipts of a company', () => {
  let app: TestApp;
  let otherAccount: string;

  beforeAll(async () => {
    app = await testApp();
    await app.db('accounts').insert({ name: 'another account', created_at: new Date() });
    otherAccount = (await app.keys.create({ name: 'other', account: 'another account', modules: ['compliance_br'] })).key;
  }, 120_000);
  afterAll(() => app.close());

  const issue = async (id: string, country: string): Promise<string> =>
    (await app.query(ISSUE, { id, country })).body.data.company.compliance.evidence.id;
  const read = async (id: string, country: string, variables: object = {}, key?: string) =>
    (await app.query(READ, { id, country, ...variables }, key)).body;

  it('are those of the account about this company, newest first, a page at a time, and count nothing', async () => {
    const first = await issue(cnpj, 'BR');
    const chilean = await issue(rut, 'CL');
    const second = await issue(cnpj, 'BR');
    const { data, extensions } = await read(cnpj, 'BR', { first: 1 });
    const { nodes, pageInfo } = data.company.receipts;
    expect(nodes).toEqual([
      { id: second, sequence: 3, identifier: cnpj, verdict: 'LOW', completeness: 'COMPLETE', issuedAt: expect.any(String) },
    ]);
    expect(pageInfo.hasNextPage).toBe(true);
    expect(extensions.cost.counted ?? {}).toEqual({});
    const rest = (await read(cnpj, 'BR', { after: pageInfo.endCursor })).data.company.receipts;
    expect(rest).toMatchObject({ nodes: [{ id: first }], pageInfo: { hasNextPage: false } });
    expect((await read(rut, 'CL')).data.company.receipts.nodes).toMatchObject([{ id: chilean, identifier: rut }]);
  });

  it('are not shown to another account, and need the module of the country', async () => {
    expect((await read(cnpj, 'BR', {}, otherAccount)).data.company.receipts.nodes).toEqual([]);
    expect((await read(rut, 'CL', {}, otherAccount)).errors).toMatchObject([{ extensions: { code: 'MODULE_NOT_ENABLED' } }]);
  });

  it('are found by an index', async () => {
    const { rows } = await app.db.raw(`SELECT indexdef FROM pg_indexes WHERE indexname = 'evidence_receipts_of_company'`);
    expect(rows).toHaveLength(1);
    const plan = await app.db.transaction(async (trx) => {
      await trx.raw('SET LOCAL enable_seqscan = off');
      const explained = await trx.raw(
        `EXPLAIN SELECT sealed FROM evidence_receipts r WHERE account_id = gen_random_uuid()
           AND (sealed::jsonb #>> '{receipt,company,country}') = 'BR' AND (sealed::jsonb #>> '{receipt,company,identifier}') = 'x'
         ORDER BY sequence DESC LIMIT 5`,
      );
      return JSON.stringify(explained.rows);
    });
    expect(plan).toContain('evidence_receipts_of_company');
  });
});
