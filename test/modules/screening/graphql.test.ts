import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { unknownCnpjs, work } from './support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;

async function started(identifiers: readonly string[], key = app.key): Promise<string> {
  const document = 'mutation ($input: StartScreeningInput!) { startScreening(input: $input) { screening { id } } }';
  const { body } = await app.query(document, { input: { identifiers } }, key);
  return body.data.startScreening.screening.id;
}

describe('screenings in GraphQL', () => {
  it('start, and give progress, results and rejected rows', async () => {
    const id = await started([cnpj('debarred-ceis'), cnpj('clean'), 'hello']);
    const read = `query ($id: ID!) {
      screening(id: $id) {
        state total done failed invalid duplicates modules
        results(first: 1, riskLevel: MEDIUM, completeness: COMPLETE) {
          nodes { row name riskLevel isDebarred failedModules company { identifier } } pageInfo { hasNextPage }
        }
        rejectedRows { nodes { row kind reason } }
      }
    }`;
    expect((await app.query(read, { id })).body.data.screening).toMatchObject({
      state: 'QUEUED',
      total: 2,
      done: 0,
      invalid: 1,
      results: { nodes: [] },
    });
    await work(app);
    expect((await app.query(read, { id })).body.data.screening).toEqual({
      state: 'DONE',
      total: 2,
      done: 2,
      failed: 0,
      invalid: 1,
      duplicates: 0,
      modules: ['COMPLIANCE_BR', 'COMPLIANCE', 'KYB', 'SANCTIONS', 'TAX_HEALTH'],
      results: {
        nodes: [
          {
            row: 1,
            name: expect.any(String),
            riskLevel: 'MEDIUM',
            isDebarred: true,
            failedModules: [],
            company: { identifier: cnpj('debarred-ceis') },
          },
        ],
        pageInfo: { hasNextPage: false },
      },
      rejectedRows: { nodes: [{ row: 3, kind: 'INVALID', reason: expect.stringContaining('neither a CNPJ') }] },
    });
  });

  it('count their results by level, completeness and outcome, and list those without any answer', async () => {
    const unread = cnpj('clean-software');
    const id = await started([cnpj('debarred-ceis'), cnpj('clean'), unread, 'hello']);
    const read = `query ($id: ID!) {
      screening(id: $id) {
        resultGroups { riskLevel completeness answered companies }
        answered: results(answered: true) { nodes { row } }
        unanswered: results(answered: false) { nodes { row riskLevel company { identifier } } }
      }
    }`;
    expect((await app.query(read, { id })).body.data.screening).toEqual({
      resultGroups: [],
      answered: { nodes: [] },
      unanswered: { nodes: [] },
    });
    await work(app);
    const failed = { state: 'failed', risk_level: null, completeness: null, findings: '{}', failed_modules: ['compliance_br'] };
    await app.db('screening_companies').where({ tax_id: unread }).update(failed);
    const { resultGroups, answered, unanswered } = (await app.query(read, { id })).body.data.screening;
    expect(new Set(resultGroups)).toEqual(
      new Set([
        { riskLevel: 'LOW', completeness: 'COMPLETE', answered: true, companies: 1 },
        { riskLevel: 'MEDIUM', completeness: 'COMPLETE', answered: true, companies: 1 },
        { riskLevel: null, completeness: null, answered: false, companies: 1 },
      ]),
    );
    expect(answered.nodes).toEqual([{ row: 1 }, { row: 2 }]);
    expect(unanswered.nodes).toEqual([{ row: 3, riskLevel: null, company: { identifier: unread } }]);
  });

  it('are found as nodes and listed newest first, those of the key only', async () => {
    const key = await app.keyFor('screening', 'compliance_br');
    const ids = [await started([cnpj('clean')], key), await started([cnpj('clean')], key)];
    const read = `query ($id: ID!) { node(id: $id) { id } screenings(first: 1) { nodes { id } pageInfo { hasNextPage endCursor } } }`;
    const { body } = await app.query(read, { id: ids[0] }, key);
    expect(body.data.node).toEqual({ id: ids[0] });
    expect(body.data.screenings).toMatchObject({ nodes: [{ id: ids[1] }], pageInfo: { hasNextPage: true } });
    const next = await app.query(
      'query ($after: String) { screenings(after: $after) { nodes { id } } }',
      { after: body.data.screenings.pageInfo.endCursor },
      key,
    );
    expect(next.body.data.screenings.nodes).toEqual([{ id: ids[0] }]);
    expect((await app.query(read, { id: ids[0] })).body.data.node).toBeNull();
  });

  it('are cancelled once', async () => {
    const id = await started(unknownCnpjs(3));
    const cancel = 'mutation ($id: ID!) { cancelScreening(input: { id: $id }) { screening { state finishedAt } } }';
    expect((await app.query(cancel, { id })).body.data.cancelScreening.screening).toEqual({
      state: 'CANCELLED',
      finishedAt: expect.any(String),
    });
    expect((await app.query(cancel, { id })).body.errors).toMatchObject([{ extensions: { code: 'SCREENING_NOT_FOUND' } }]);
  });

  it('need the module screening', async () => {
    const key = await app.keyFor('compliance_br');
    const { body } = await app.query(
      '{ screenings { nodes { id } } screening(id: "scr_4f0c4a1be2a94d3f8a1f6cbb0a6f7d10") { id } }',
      {},
      key,
    );
    expect(body.data).toEqual({ screenings: null, screening: null });
    expect(body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual([
      'MODULE_NOT_ENABLED',
      'MODULE_NOT_ENABLED',
    ]);
  });
});
