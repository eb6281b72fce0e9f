import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { foreignCompanyByScenario } from '../../sandbox/world/foreign-companies.ts';
import { SANCTIONS_LISTS } from '../../src/modules/sanctions/domain.ts';
import { type TestApp, testApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const ask = async (path: string, scenario: string) =>
  (await app.post(path, { identifier: companyByScenario(scenario).cnpj, country: 'BR' })) as {
    status: number;
    body: Record<string, unknown>;
  };
const compliance = async (scenario: string) => (await app.post('/v1/compliance-br', { cnpj: companyByScenario(scenario).cnpj })).body;
const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;

describe('the consolidated check', () => {
  it.each([
    ['clean', 'low', []],
    ['homonym', 'low', []],
    ['alphanumeric', 'low', []],
    ['status-suspended', 'medium', ['kyb.inactive']],
    ['status-closed', 'medium', ['kyb.inactive']],
    ['unknown', 'medium', ['kyb.not_found']],
    ['false-404', 'low', []],
    ['debarred-ceis', 'medium', ['debarment.record']],
    ['debarred-both', 'medium', ['debarment.record', 'debarment.record']],
    ['debarred-ended', 'medium', ['debarment.record']],
    ['debarred-closed', 'medium', ['debarment.record', 'kyb.inactive']],
    ['labor-listed', 'high', ['labor.listed']],
    ['labor-removed', 'high', ['labor.listed']],
    ['sanctioned', 'high', ['sanctions.match']],
    ['sanctioned-alphanumeric', 'high', ['sanctions.match']],
  ])('of %s is %s because of %j', async (scenario, level, reasons) => {
    const body = await compliance(scenario);
    expect(body).toMatchObject({ risk_level: level, sources_failed: [], completeness: 'complete' });
    expect(body.risk_reasons.map((reason: string) => reason.split(':')[0])).toEqual(reasons);
  });

  it.each([
    ['sanctioned', { check: 'SANCTIONS', code: 'MATCH', severity: 'HIGH' }],
    ['labor-listed', { check: 'LABOR', code: 'LISTED', severity: 'HIGH' }],
    ['debarred-ceis', { check: 'DEBARMENT', code: 'RECORD', severity: 'MEDIUM' }],
  ])('of %s has reasons in the words of enums in GraphQL', async (scenario, reason) => {
    const { body } = await app.query(`{ company(identifier: "${cnpj(scenario)}") { compliance { riskReasons { check code severity } } } }`);
    expect(body.data.company.compliance.riskReasons).toEqual([reason]);
  });

  it('of an unknown company has an empty name, no owners and no failed source', async () => {
    expect(await compliance('unknown')).toMatchObject({
      company_name: '',
      checks: { kyb: { status: 'not_found', company_name: '' }, owners: { count: 0, owners: [] } },
      sources_failed: [],
    });
  });
});

describe('registration', () => {
  it.each([
    ['status-null', 'inactive', null],
    ['status-suspended', 'inactive', null],
    ['status-unfit', 'inactive', null],
    ['status-closed', 'inactive', '2019-12-31'],
    ['status-date-null', 'active', null],
    ['unknown', 'not_found', null],
    ['unknown-alphanumeric', 'not_found', null],
    ['false-404', 'active', null],
  ])('of %s is %s, ended %s', async (scenario, status, end_date) => {
    expect((await ask('/v1/kyb', scenario)).body).toMatchObject({
      status,
      verified: status === 'active',
      end_date,
      data_as_of: null,
      source: 'receita_federal',
    });
  });

  it('includes a branch and a special situation in GraphQL', async () => {
    const query = `{ branch: company(identifier: "${cnpj('branch-closed')}") { kyb { status isBranch endDate } }
      recovery: company(identifier: "${cnpj('judicial-recovery')}") { kyb { status specialSituation } } }`;
    expect((await app.query(query)).body.data).toEqual({
      branch: { kyb: { status: 'INACTIVE', isBranch: true, endDate: expect.any(String) } },
      recovery: { kyb: { status: 'ACTIVE', specialSituation: 'RECUPERACAO JUDICIAL' } },
    });
  });
});

describe('debarment', () => {
  it('marks a record of another branch of the same root', async () => {
    expect((await ask('/v1/debarment', 'debarred-root')).body).toMatchObject({ is_debarred: true, records: [{ matched_on: 'root' }] });
    expect((await ask('/v1/debarment', 'debarred-root-branch')).body).toMatchObject({ records: [{ matched_on: 'cnpj' }] });
  });

  it('has the fine of a CNEP record and null for its publication', async () => {
    const { records } = (await ask('/v1/debarment', 'debarred-cnep-fine')).body;
    expect(records).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ source: 'CNEP', sanction_type: 'MULTA', fine_amount: 517662.9 }),
        expect.objectContaining({ source: 'CNEP', sanction_type: 'PUBLICAÇÃO EXTRAORDINÁRIA', fine_amount: null }),
      ]),
    );
  });

  it('includes ended and indefinite records, and removes duplicate rows', async () => {
    expect((await ask('/v1/debarment', 'debarred-ended')).body).toMatchObject({ is_debarred: true, records: [{ status: 'ended' }] });
    expect((await ask('/v1/debarment', 'debarred-indefinite')).body).toMatchObject({ records: [{ date_end: null, status: 'active' }] });
    expect((await ask('/v1/debarment', 'debarred-duplicates')).body.records).toHaveLength(2);
  });
});

describe('forced labour', () => {
  it('includes active, renewed and ended listings, a match by root and two records of one company', async () => {
    expect((await ask('/v1/labor', 'labor-listed')).body).toMatchObject({
      records: [{ status: 'active', workers_rescued: 12, removed_on: null }],
    });
    expect((await ask('/v1/labor', 'labor-relisted')).body).toMatchObject({ records: [{ status: 'active' }] });
    expect((await ask('/v1/labor', 'labor-removed')).body).toMatchObject({
      has_violations: true,
      records: [{ status: 'ended', removed_on: expect.any(String) }],
    });
    expect((await ask('/v1/labor', 'labor-root')).body).toMatchObject({ records: [{ matched_on: 'root' }] });
    expect((await ask('/v1/labor', 'labor-twice')).body.records).toHaveLength(2);
  });
});

describe('sanctions', () => {
  it.each([
    ['sanctioned', 'tax_id'],
    ['sanctioned-root', 'root'],
    ['sanctioned-by-branch', 'root'],
    ['sanctioned-no-country', 'tax_id'],
    ['sanctioned-alphanumeric', 'tax_id'],
  ])('of %s match on %s', async (scenario, matched_on) => {
    const { body } = await ask('/v1/sanctions', scenario);
    expect(body).toMatchObject({
      is_sanctioned: true,
      matches: [{ list_name: 'OFAC_SDN', matched_on }],
      lists_checked: [...SANCTIONS_LISTS],
    });
    expect(body.lists_updated_at).toEqual(Object.fromEntries(SANCTIONS_LISTS.map((list) => [list, expect.stringMatching(/\+00:00$/)])));
  });

  it('do not match a name: it is a candidate', async () => {
    const { body } = await app.post('/v1/sanctions', {
      identifier: cnpj('homonym'),
      country: 'BR',
      name: 'CONDOR IMAGINARIO TRADING LTDA',
    });
    expect(body).toMatchObject({ is_sanctioned: false, matches: [] });
    expect(body.possible_matches).toMatchObject([{ decision: 'match' }, { decision: 'match' }]);
  });

  it('match a tax id in its own country only', async () => {
    const rut = foreignCompanyByScenario('cl-same-digits');
    const sanctions = async (country: string, identifier: string) =>
      (await app.post('/v1/sanctions', { identifier, country })).body.is_sanctioned;
    expect(await sanctions('CL', rut.taxId)).toBe(false);
    expect(await sanctions('CO', rut.taxId)).toBe(true);
  });
});

describe('owners', () => {
  it('are 404 in REST for a company that the registry lacks, and data in GraphQL', async () => {
    expect(await ask('/v1/owners', 'unknown')).toMatchObject({ status: 404, body: { code: 'company_not_found' } });
    const { body } = await app.query(
      `{ company(identifier: "${cnpj('unknown')}") {
        owners { companyKnown companyName count owners { name } }
        ownershipGraph { complete nodes { depth } }
        compliance { checks { owners { companyKnown } } }
      } }`,
    );
    expect(body).toMatchObject({
      data: {
        company: {
          owners: { companyKnown: false, companyName: null, count: 0, owners: [] },
          ownershipGraph: { complete: true, nodes: [] },
          compliance: { checks: { owners: { companyKnown: false } } },
        },
      },
    });
    expect(body.errors).toBeUndefined();
  });

  it.each(['owners-none', 'owners-null'])('are an empty list when none is on record: %s', async (scenario) => {
    expect((await ask('/v1/owners', scenario)).body).toMatchObject({ owners: [] });
  });

  it('include the representative of a foreign company and not of a foreign person', async () => {
    const { owners } = (await ask('/v1/owners', 'owners-foreign')).body as { owners: Record<string, unknown>[] };
    expect(owners.find(({ entity_type, country }) => entity_type === 'company' && country)).toMatchObject({
      identifier: null,
      legal_rep_name: expect.any(String),
      legal_rep_role: expect.any(String),
    });
    expect(owners.find(({ entity_type, country }) => entity_type === 'individual' && country)).toMatchObject({
      legal_rep_name: null,
      legal_rep_role: null,
    });
  });

  it('have null for an impossible entry date', async () => {
    const { owners } = (await ask('/v1/owners', 'owners-impossible-date')).body as { owners: { entry_date: string | null }[] };
    expect(owners.some(({ entry_date }) => entry_date === null)).toBe(true);
  });

  it('give access to the owners of an owner in one query', async () => {
    const query = `{ company(identifier: "${cnpj('owners-level-1')}") { owners { owners { entityType company { identifier owners { owners { company { identifier } } } } } } } }`;
    const { owners } = (await app.query(query)).body.data.company.owners;
    const second = owners.find(({ company }: { company: unknown }) => company)?.company;
    expect(second.identifier).toBe(cnpj('owners-level-2'));
    expect(second.owners.owners.map(({ company }: { company: { identifier: string } | null }) => company?.identifier)).toContain(
      cnpj('owners-level-3'),
    );
  });
});

describe('the ownership graph', () => {
  const graph = async (scenario: string, depth: number) =>
    (
      await app.query(
        `{ company(identifier: "${cnpj(scenario)}") { ownershipGraph(depth: ${depth}) { complete nodes { depth name company { identifier } } edges { owner { identifier } owned { identifier } role } } } }`,
      )
    ).body;
  const ids = (body: Awaited<ReturnType<typeof graph>>) =>
    body.data.company.ownershipGraph.nodes.map(({ company }: { company: { identifier: string } }) => company.identifier);

  it('follows company owners level by level', async () => {
    const body = await graph('owners-level-1', 10);
    expect(ids(body)).toEqual(expect.arrayContaining([cnpj('owners-level-1'), cnpj('owners-level-2'), cnpj('owners-level-3')]));
    expect(body.data.company.ownershipGraph.complete).toBe(true);
  });

  it('is not complete when it stops at its depth', async () => {
    const body = await graph('owners-level-1', 1);
    expect(body.data.company.ownershipGraph.complete).toBe(false);
    expect(ids(body)).not.toContain(cnpj('owners-top'));
  });

  it('has each company of a cycle once and all three edges', async () => {
    const body = await graph('owners-cycle-a', 10);
    expect(ids(body).sort()).toEqual(['owners-cycle-a', 'owners-cycle-b', 'owners-cycle-c'].map(cnpj).sort());
    expect(body.data.company.ownershipGraph.edges).toHaveLength(3);
    expect(body.data.company.ownershipGraph.complete).toBe(true);
    expect(ids(await graph('owners-self', 10))).toEqual([cnpj('owners-self')]);
  });

  it.each([0, 11])('refuses a depth of %d', async (depth) => {
    expect((await graph('clean', depth)).errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', field: 'depth' } }]);
  });
});

describe('a node', () => {
  it('is found by its id, alone and in a list', async () => {
    const { id } = (await app.query(`{ company(identifier: "${cnpj('clean')}") { id } }`)).body.data.company;
    const query = 'query ($id: ID!, $ids: [ID!]!) { node(id: $id) { id ... on Company { identifier } } nodes(ids: $ids) { id } }';
    const { data } = (await app.query(query, { id, ids: [id, 'bad'] })).body;
    expect(data).toEqual({ node: { id, identifier: cnpj('clean') }, nodes: [{ id }, null] });
  });
});
