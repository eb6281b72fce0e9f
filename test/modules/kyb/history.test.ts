import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import type { TestApp } from '../../support/app.ts';
import { sandboxMonths } from '../../support/registry-copy.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const [BEFORE, AFTER] = ['2026-10-14', '2026-11-14'];
const cnpjOf = (scenario: string): string => companyByScenario(scenario).cnpj;

let app: TestApp;
let live: TestApp;
sandboxMonths(
  () => NOW,
  (...apps) => {
    [app, live] = apps;
  },
);

/** An app, and a key; that of all modules by default. */
interface Caller {
  readonly on?: TestApp;
  readonly key?: string;
}

const HISTORY = `query ($id: String!, $first: Int, $after: String, $fields: [RegistryField!]) { company(identifier: $id) {
  history(first: $first, after: $after, fields: $fields) {
    nodes { id field before after beforeCode afterCode extractFrom extractTo establishment { identifier } partner { name identifier entityType role } }
    fields coveredFrom coveredTo freshness { dataAsOf } pageInfo { hasNextPage endCursor }
  } } }`;

async function history(variables: object, { on = app, key }: Caller = {}) {
  const { body } = await on.query(HISTORY, { ...variables }, key ?? on.key);
  return { found: body.data?.company?.history, error: body.errors?.[0]?.extensions, counted: body.extensions?.cost?.counted };
}
async function get(path: string, { on = app, key }: Caller = {}) {
  const answer = await on.server.inject({ method: 'GET', url: path, headers: { 'x-api-key': key ?? on.key } });
  return { status: answer.statusCode, body: answer.json() };
}

describe('the history of a company', () => {
  it.each([
    ['a renamed company', 'clean-hotel', { field: 'NAME', before: 'HOTEL QUARTO CRESCENTE LTDA', after: 'HOTEL QUARTO MINGUANTE LTDA' }],
    [
      'a partner who left',
      'clean-school',
      {
        field: 'PARTNER_LEFT',
        after: null,
        partner: { identifier: expect.stringMatching(/^\*{3}\d{6}\*{2}$/), entityType: 'INDIVIDUAL', role: 'Sócio' },
      },
    ],
    ['a company that moved', 'clean-wholesale', { field: 'ADDRESS', before: 'RECIFE/PE', after: 'RIO DE JANEIRO/RJ' }],
    ['a recovery that began', 'judicial-recovery', { field: 'SPECIAL_SITUATION', before: null, after: 'RECUPERACAO JUDICIAL' }],
  ])('has, of the two months of the sandbox, %s', async (_, scenario, change) => {
    const { found, counted } = await history({ id: cnpjOf(scenario) });
    expect(found).toMatchObject({
      coveredFrom: BEFORE,
      coveredTo: AFTER,
      freshness: { dataAsOf: AFTER },
      nodes: [{ ...change, extractFrom: BEFORE, extractTo: AFTER }],
    });
    expect(counted).toEqual({ KYB: 1 });
  });

  it('has an opened branch in the history of every establishment of the legal person', async () => {
    const branch = cnpjOf('clean-sa-open-branch-3');
    const opened = { field: 'BRANCH_OPENED', before: null, after: 'ATIVA', establishment: { identifier: branch } };
    for (const scenario of ['clean-sa-open', 'clean-sa-open-branch-2', 'clean-sa-open-branch-3'])
      expect((await history({ id: cnpjOf(scenario) })).found.nodes).toMatchObject([opened]);
  });

  it('is empty for a company that did not change, and says which time it covers', async () => {
    const { found } = await history({ id: cnpjOf('clean-micro') });
    expect(found).toMatchObject({ nodes: [], coveredFrom: BEFORE, coveredTo: AFTER, pageInfo: { hasNextPage: false } });
  });

  it('is read page by page, and by field', async () => {
    const id = cnpjOf('clean-software');
    const whole = (await history({ id })).found.nodes;
    expect(whole.map(({ field }: { field: string }) => field).toSorted()).toEqual(['CAPITAL', 'PARTNER_JOINED', 'SIZE']);
    const { found: first } = await history({ id, first: 2 });
    const { found: rest } = await history({ id, first: 2, after: first.pageInfo.endCursor });
    expect([...first.nodes, ...rest.nodes]).toEqual(whole);
    expect((await history({ id, fields: ['SIZE'] })).found).toMatchObject({
      fields: ['SIZE'],
      nodes: [{ beforeCode: '01', afterCode: '05' }],
    });
  });

  it('has no changes of partners for a key without the module owners, and names the fields that it has', async () => {
    const key = await app.keyFor('kyb');
    const id = cnpjOf('clean-software');
    const { found } = await history({ id }, { key });
    expect(found.nodes.map(({ field }: { field: string }) => field).toSorted()).toEqual(['CAPITAL', 'SIZE']);
    expect(found.fields).not.toContain('PARTNER_LEFT');
    expect(await history({ id, fields: ['NAME', 'PARTNER_LEFT'] }, { key })).toMatchObject({
      found: null,
      error: { code: 'MODULE_NOT_ENABLED', module: 'OWNERS' },
    });
    expect(await history({ id }, { key: await app.keyFor('owners') })).toMatchObject({
      error: { code: 'MODULE_NOT_ENABLED', module: 'KYB' },
    });
  });

  it('is an error for a company that the registry does not have, for an empty list of fields, and null for another country', async () => {
    expect(await history({ id: cnpjOf('unknown') })).toMatchObject({ found: null, error: { code: 'COMPANY_NOT_FOUND' } });
    expect(await history({ id: cnpjOf('clean'), fields: [] })).toMatchObject({ found: null, error: { code: 'INVALID_INPUT' } });
    expect(await history({ id: '900.123.456-8' })).toMatchObject({ found: null, error: undefined });
  });

  it('is an error that says so, and no empty list, in the mode live and with one extract', async () => {
    expect(await history({ id: cnpjOf('clean') }, { on: live })).toMatchObject({ found: null, error: { code: 'SOURCE_NOT_CONFIGURED' } });
    const url = `/v1/companies/BR/${cnpjOf('clean')}/history`;
    expect(await get(url, { on: live })).toMatchObject({ status: 503, body: { code: 'source_not_configured' } });
  });

  it('is the same by REST', async () => {
    const { status, body } = await get(`/v1/companies/BR/${cnpjOf('clean-software')}/history?fields=capital,partner_joined&limit=2`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      country: 'BR',
      fields: ['capital', 'partner_joined'],
      covered_from: BEFORE,
      covered_to: AFTER,
      data_as_of: AFTER,
      has_more: false,
      changes: [
        { field: 'partner_joined', partner: { entity_type: 'individual' } },
        { field: 'capital', before: '20000', after: '100000' },
      ],
    });
    expect(await get(`/v1/companies/BR/${cnpjOf('clean')}/history?fields=nonsense`)).toMatchObject({ status: 422 });
    expect(await get(`/v1/companies/BR/${cnpjOf('unknown')}/history`)).toMatchObject({ status: 404, body: { code: 'company_not_found' } });
  });
});

interface GraphqlError {
  readonly path: readonly string[];
  readonly extensions: { readonly code: string };
}

const AS_OF = `query ($id: String!, $asOf: Date) { company(identifier: $id, asOf: $asOf) { id asOf
  kyb { status companyName specialSituation freshness { dataAsOf } } owners { companyKnown owners { id name identifier company { id asOf } } }
  registration { companyName tradeName capital size address { municipality } simples { isMember } } } }`;
const asOf = async (scenario: string, date: string | null, on = app) => {
  const { body } = await on.query(AS_OF, { id: cnpjOf(scenario), asOf: date });
  return { ...body.data?.company, errors: body.errors?.map((error: GraphqlError) => [error.path.at(-1), error.extensions.code]) };
};

describe('a company as of an earlier day', () => {
  it('has the name, owners and record of the last extract up to that day', async () => {
    expect(await asOf('clean-hotel', '2026-10-31')).toMatchObject({
      asOf: '2026-10-31',
      kyb: { companyName: 'HOTEL QUARTO CRESCENTE LTDA', freshness: { dataAsOf: BEFORE } },
      registration: { companyName: 'HOTEL QUARTO CRESCENTE LTDA', tradeName: null, simples: { isMember: null } },
    });
    expect((await asOf('clean-school', BEFORE)).owners.owners).toHaveLength(3);
    expect((await asOf('clean-school', AFTER)).owners.owners).toHaveLength(2);
    expect(await asOf('clean-software', BEFORE)).toMatchObject({ registration: { capital: '20000', size: 'MICRO EMPRESA' } });
    expect(await asOf('clean-wholesale', BEFORE)).toMatchObject({ registration: { address: { municipality: 'RECIFE' } } });
    expect(await asOf('judicial-recovery', BEFORE)).toMatchObject({ kyb: { specialSituation: null } });
  });

  it('is not in the registry before it was opened', async () => {
    expect(await asOf('clean-sa-open-branch-3', BEFORE)).toMatchObject({ kyb: { status: 'NOT_FOUND' }, owners: { companyKnown: false } });
    expect(await asOf('clean-sa-open-branch-3', AFTER)).toMatchObject({ kyb: { status: 'ACTIVE' } });
  });

  it('equals the company of today as of today', async () => {
    const [now, today] = [await asOf('clean', null), await asOf('clean', '2026-11-28')];
    expect(today.kyb).toEqual(now.kyb);
    expect(today.registration).toEqual(now.registration);
  });

  it('is an error before the first extract, in the mode live, in the future and of another country', async () => {
    const missing = { kyb: null, owners: null, registration: null };
    expect(await asOf('clean', '2026-10-13')).toMatchObject({
      ...missing,
      errors: [
        ['kyb', 'NO_RECORD_THEN'],
        ['owners', 'NO_RECORD_THEN'],
        ['registration', 'NO_RECORD_THEN'],
      ],
    });
    expect((await asOf('clean', AFTER, live)).errors).toContainEqual(['kyb', 'SOURCE_NOT_CONFIGURED']);
    expect((await asOf('clean', '2026-11-29')).errors).toEqual([['company', 'INVALID_INPUT']]);
    expect((await asOf('clean', '0000-01-01')).errors).toEqual([['company', 'INVALID_INPUT']]);
    const { body } = await app.query('{ company(identifier: "900.123.456-8", asOf: "2026-10-31") { id } }');
    expect(body.errors[0].extensions.code).toBe('UNSUPPORTED_COUNTRY');
  });

  it('has an error in every field that is answered for today only, and no answer of today', async () => {
    const { data } = (
      await app.query(
        '{ __type(name: "Company") { fields { name args { name type { kind } } type { kind ofType { kind ofType { kind ofType { kind } } } } } } }',
      )
    ).body;
    const answered = ['id', 'country', 'identifier', 'formattedIdentifier', 'asOf', 'modules', 'kyb', 'registration', 'owners'];
    const served = ['taxHealth', 'awardedContracts', 'contractFines']; // null for Brazil
    const others = data.__type.fields.filter(({ name }: { name: string }) => ![...answered, ...served].includes(name));
    expect(others.length).toBeGreaterThan(8);
    type Described = { readonly kind: string; readonly ofType: Described | null };
    const isScalar = ({ kind, ofType }: Described): boolean => (ofType ? isScalar(ofType) : kind === 'SCALAR');
    for (const { name, type } of others) {
      const selection = isScalar(type) ? '' : '{ __typename }';
      const { body } = await app.query(`query ($id: String!) { company(identifier: $id, asOf: "2026-10-31") { ${name} ${selection} } }`, {
        id: cnpjOf('clean'),
      });
      expect([name, body.data.company[name], body.errors?.[0].extensions.code]).toEqual([name, null, 'AS_OF_NOT_SUPPORTED']);
    }
    const owners = await app.query(
      'query ($id: String!) { company(identifier: $id, asOf: "2026-10-31") { owners { owners { screening { checkedLists { list } } } } } }',
      { id: cnpjOf('clean') },
    );
    expect(owners.body.errors?.length ?? 0).toBeGreaterThan(0);
  });

  it('has an id of its own, by which it is found again, and so have its owners', async () => {
    const [then, now] = [await asOf('owners-level-1', BEFORE), await asOf('owners-level-1', null)];
    expect(then.id).not.toBe(now.id);
    expect(then.owners.owners[0].id).not.toBe(now.owners.owners[0].id);
    expect(then.owners.owners[0].company.asOf).toBe(BEFORE);
    const { body } = await app.query('query ($id: ID!) { node(id: $id) { ... on Company { asOf kyb { freshness { dataAsOf } } } } }', {
      id: then.id,
    });
    expect(body.data.node).toEqual({ asOf: BEFORE, kyb: { freshness: { dataAsOf: BEFORE } } });
  });
});
