import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { toCursor } from '../../../src/domain/paging.ts';
import { formatRut } from '../../../src/domain/tax-id.ts';
import { costOfCompanies } from '../../../src/modules/owners/graphql/group.ts';
import type { TestApp } from '../../support/app.ts';
import { call } from '../monitor/api-requests.ts';
import { appWithChile } from '../tax-health/chile.ts';

let app: TestApp;
beforeAll(async () => {
  app = await appWithChile();
}, 120_000);
afterAll(() => app.close());

const rut = (scenario: string) => chileanByScenario(scenario).rut;
const FOREIGN = '599000909';
const published = expect.stringMatching(/^\d{4}-11-25$/);

async function company(scenario: string, field: string) {
  const { body } = await app.query(`{ company(identifier: "${rut(scenario)}", country: CL) { ${field} } }`);
  return { errors: body.errors, value: Object.values(body.data?.company ?? {})[0] as never as Record<string, never> };
}

const ID = 'company { country identifier }';
const EDGES = 'edges { owner { identifier } owned { identifier } role share { percent basis } }';
const GAPS = 'complete notSeen { reason count companies { identifier } }';
const edge = (owner: string, owned: string, percent: string | null) => ({
  owner: { identifier: owner },
  owned: { identifier: owned },
  role: 'Socio',
  share: { percent, basis: percent === null ? 'NOT_DECLARED' : 'DECLARED' },
});

describe('Company.owns of a Chilean company', () => {
  it('lists companies by RUT with shares and registration, in pages', async () => {
    const fields = `nodes { ${ID} name status role share { percent basis asOf source } } companyKnown completeness reason pageInfo { hasNextPage endCursor } freshness { dataAsOf }`;
    const { errors, value } = await company('cl-crowd-1', `owns { ${fields} }`);
    expect(errors).toBeUndefined();
    const node = (scenario: string, percent: string) => ({
      company: { country: 'CL', identifier: rut(scenario) },
      name: chileanByScenario(scenario).name,
      status: 'ACTIVE',
      role: 'Socio',
      share: { percent, basis: 'DECLARED', asOf: published, source: 'CL_OWNERSHIP' },
    });
    expect(value).toMatchObject({
      nodes: [node('cl-large', '70.5'), node('cl-medium', '33.33')],
      companyKnown: true,
      completeness: 'COMPLETE',
      reason: null,
      freshness: { dataAsOf: published },
    });
    const first = (await company('cl-crowd-1', `owns(first: 1) { ${fields} }`)).value as never as { pageInfo: { endCursor: string } };
    expect(first).toMatchObject({ nodes: [node('cl-large', '70.5')], pageInfo: { hasNextPage: true } });
    const rest = await company('cl-crowd-1', `owns(first: 1, after: "${first.pageInfo.endCursor}") { ${fields} }`);
    expect(rest.value).toMatchObject({ nodes: [node('cl-medium', '33.33')], pageInfo: { hasNextPage: false } });
  });

  it('refuses the position of a list of Brazil, whose roots may have letters', async () => {
    const after = toCursor('holding', [rut('cl-crowd-1').slice(0, 8), 'ABCDEFGH', null, null]);
    const { status, body } = await call(app, 'GET', `/v1/companies/CL/${rut('cl-crowd-1')}/holdings?after=${after}`);
    expect([status, body.code]).toEqual([422, 'invalid_input']);
  });

  it('has the same page over REST', async () => {
    const { status, body } = await call(app, 'GET', `/v1/companies/CL/${rut('cl-crowd-3')}/holdings`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ country: 'CL', company_known: true, completeness: 'complete', data_as_of: published });
    expect(body.holdings.map((one: { identifier: string; share: object }) => [one.identifier, one.share])).toEqual([
      [rut('cl-medium'), { percent: '33.33', basis: 'declared', as_of: published, source: 'cl_ownership' }],
      [rut('cl-debtor'), { percent: null, basis: 'not_declared', as_of: published, source: 'cl_ownership' }],
    ]);
  });

  it('leaves out the company of the owner in otherCompanies', async () => {
    const { value } = await company('cl-medium', 'owners { owners { identifier otherCompanies { nodes { company { identifier } } } } }');
    const owners = value.owners as never as { identifier: string | null; otherCompanies: { nodes: object[] } | null }[];
    expect(owners.map(({ otherCompanies }) => otherCompanies?.nodes ?? null)).toEqual([
      [{ company: { identifier: rut('cl-large') } }],
      [{ company: { identifier: rut('cl-debtor') } }],
      null,
    ]);
  });
});

describe('Company.group of a Chilean company', () => {
  const graph = `nodes { ${ID} name depth relation } ${EDGES} ${GAPS}`;

  it('has the companies above and below it, with shares, and says what it does not see', async () => {
    const { errors, value } = await company('cl-crowd-1', `group { ${graph} }`);
    expect(errors).toBeUndefined();
    const nodes = value.nodes as never as { company: { identifier: string }; depth: number; relation: string }[];
    expect(nodes.map((node) => [node.company.identifier, node.depth, node.relation])).toEqual([
      [rut('cl-crowd-1'), 0, 'SELF'],
      [rut('cl-crowd-2'), 1, 'OWNER'],
      [rut('cl-large'), 1, 'OWNED'],
      [rut('cl-medium'), 1, 'OWNED'],
    ]);
    expect(value.edges).toEqual([
      edge(rut('cl-crowd-2'), rut('cl-crowd-1'), '60'),
      edge(rut('cl-crowd-1'), rut('cl-large'), '70.5'),
      edge(rut('cl-crowd-1'), rut('cl-medium'), '33.33'),
    ]);
    expect(value).toMatchObject({ complete: true, notSeen: [] });
  });

  it('names a company whose owners are not published, and the depth', async () => {
    const up = await company('cl-large', `ownershipGraph { ${graph} }`);
    expect(up.value).toMatchObject({
      complete: false,
      notSeen: [{ reason: 'OWNERS_NOT_FILED', count: 1, companies: [{ identifier: FOREIGN }] }],
    });
    const near = await company('cl-large', `group(depth: 1, direction: UP) { ${graph} }`);
    expect(near.value.notSeen).toContainEqual({ reason: 'DEPTH', count: 1, companies: [{ identifier: rut('cl-crowd-1') }] });
    const down = await company('cl-crowd-2', `group(depth: 1, direction: DOWN) { ${graph} }`);
    expect(down.value).toMatchObject({ complete: false, notSeen: [{ reason: 'DEPTH', count: 2 }] });
  });

  it('ends at circles and at a company that owns itself', async () => {
    const circle = await company('cl-agency', `group(direction: UP) { ${graph} }`);
    expect(circle.value.edges).toEqual([edge(rut('cl-shop'), rut('cl-agency'), '10'), edge(rut('cl-agency'), rut('cl-shop'), '50')]);
    const self = await company('cl-micro', `group { ${graph} }`);
    expect(self.value).toMatchObject({ edges: [edge(rut('cl-micro'), rut('cl-micro'), '5')], complete: true });
    expect(self.value.nodes).toHaveLength(1);
  });

  it('is empty for an unknown company, 404 over REST, and refused for another country', async () => {
    expect((await company('cl-unknown', `group { ${graph} }`)).value).toEqual({ nodes: [], edges: [], complete: true, notSeen: [] });
    const unknown = await app.post('/v1/group', { identifier: rut('cl-unknown'), country: 'CL' });
    expect([unknown.status, unknown.body.detail]).toEqual([404, 'The tax registry has no company with this RUT.']);
    const refused = await app.post('/v1/group', { identifier: '900.964.705-5', country: 'CO' });
    expect([refused.status, refused.body.code]).toEqual([422, 'unsupported_country']);
  });

  it('has shares over REST', async () => {
    const { status, body } = await app.post('/v1/group', { identifier: rut('cl-debtor'), country: 'CL', direction: 'up' });
    expect([status, body.country, body.data_as_of]).toEqual([200, 'CL', published]);
    expect(body.edges).toMatchObject([
      { owner: rut('cl-crowd-3'), owned: rut('cl-debtor'), share: { percent: null, basis: 'not_declared' } },
    ]);
  });
});

describe('connection of two Chilean companies', () => {
  const connect = (from: object, to: object) => app.post('/v1/connection', { from, to });
  const ref = (scenario: string) => ({ identifier: rut(scenario), country: 'CL' });

  it('goes through owners and owned companies, with shares', async () => {
    const { status, body } = await connect(ref('cl-large'), ref('cl-debtor'));
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'found', length: 4, from_known: true, to_known: true, visited_people: 0, data_as_of: published });
    expect(
      body.edges.map((one: { owner: { identifier: string }; owned: { identifier: string }; share: { percent: string } }) => [
        one.owner.identifier,
        one.owned.identifier,
        one.share.percent,
      ]),
    ).toEqual([
      [rut('cl-crowd-1'), rut('cl-large'), '70.5'],
      [rut('cl-crowd-1'), rut('cl-medium'), '33.33'],
      [rut('cl-crowd-3'), rut('cl-medium'), '33.33'],
      [rut('cl-crowd-3'), rut('cl-debtor'), null],
    ]);
  });

  it('says that there is none, and which company is unknown', async () => {
    expect((await connect(ref('cl-large'), ref('cl-unknown'))).body).toMatchObject({
      status: 'none_within_limits',
      to_known: false,
      edges: [],
    });
  });

  it('is refused for companies of two countries', async () => {
    const brazilian = { identifier: companyByScenario('group-middle').cnpj, country: 'BR' };
    expect(await connect(ref('cl-large'), brazilian)).toMatchObject({ status: 422, body: { code: 'invalid_input' } });
  });
});

describe('Company.beneficialOwners of a Chilean company', () => {
  const fields = `owners { name isAggregate identifier registeredIn { identifier } share { percent basis asOf source } path { owned { identifier } } } ${GAPS}`;
  const people = (scenario: string, percent: string | null, basis: string, path: readonly string[]) => ({
    name: '',
    isAggregate: true,
    identifier: null,
    registeredIn: { identifier: rut(scenario) },
    share: { percent, basis, asOf: published, source: 'CL_OWNERSHIP' },
    path: path.map((one) => ({ owned: { identifier: rut(one) } })),
  });

  it('multiplies the shares along the path, and names nobody', async () => {
    const { errors, value } = await company('cl-large', `beneficialOwners { ${fields} }`);
    expect(errors).toBeUndefined();
    expect(value.owners).toEqual([
      people('cl-crowd-1', '28.2', 'MULTIPLIED', ['cl-large']),
      people('cl-crowd-2', '42.3', 'MULTIPLIED', ['cl-large', 'cl-crowd-1']),
    ]);
    expect(value.complete).toBe(false);
    expect(value.notSeen).toEqual([
      { reason: 'OWNERS_NOT_FILED', count: 1, companies: [{ identifier: FOREIGN }] },
      { reason: 'UNNAMED_PEOPLE', count: 2, companies: [{ identifier: rut('cl-crowd-1') }, { identifier: rut('cl-crowd-2') }] },
    ]);
  });

  it('turns no unknown share into a number', async () => {
    const { value } = await company('cl-debtor', `beneficialOwners { ${fields} }`);
    expect(value.owners).toEqual([
      people('cl-debtor', null, 'NOT_DECLARED', []),
      people('cl-crowd-3', null, 'NOT_DECLARED', ['cl-debtor']),
    ]);
    expect(value.notSeen).toContainEqual({ reason: 'UNKNOWN_SHARE', count: 1, companies: [{ identifier: rut('cl-debtor') }] });
  });

  it('follows a circle once, and says so', async () => {
    const { value } = await company('cl-agency', `beneficialOwners { ${fields} }`);
    expect(value.owners).toEqual([people('cl-agency', '90', 'DECLARED', []), people('cl-shop', '5', 'MULTIPLIED', ['cl-agency'])]);
    expect(value.notSeen).toContainEqual({ reason: 'CYCLE', count: 1, companies: [{ identifier: rut('cl-agency') }] });
  });
});

describe('POST /v1/other-companies of a Chilean company', () => {
  const ask = (owner: object) => app.post('/v1/other-companies', { identifier: rut('cl-medium'), country: 'CL', owner });

  it('has those of an owner that is a company, by its RUT in any spelling, with their shares', async () => {
    const { status, body } = await ask({ identifier: formatRut(rut('cl-crowd-1')) });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      country: 'CL',
      owner: { entity_type: 'company', identifier: rut('cl-crowd-1') },
      identity: null,
      companies: [{ identifier: rut('cl-large'), share: { percent: '70.5' } }],
      company_known: true,
      completeness: 'complete',
      has_more: false,
    });
  });

  it('is 404 with the name of its tax id for a company that the registry does not have', async () => {
    const unknown = { identifier: '76.086.428-5', country: 'CL', owner: { identifier: formatRut(rut('cl-crowd-1')) } };
    const { status, body } = await app.post('/v1/other-companies', unknown);
    expect([status, body.code, body.detail]).toEqual([404, 'company_not_found', expect.stringContaining('RUT')]);
  });

  it.each([
    ['a company that owns another company', { identifier: '67.100.002-1' }],
    ['the natural persons', { name: '', identifier: 'x' }],
  ])('finds nothing by %s', async (_, owner) => {
    expect(await ask(owner)).toMatchObject({ status: 422, body: { code: 'invalid_input', errors: [{ field: 'owner' }] } });
  });
});

describe('Company.groupFindings of a Chilean company', () => {
  it('looks the group up on the sanctions lists, and says that lists of Brazil have no RUT', async () => {
    const { errors, value } = await company(
      'cl-crowd-1',
      `groupFindings { findings { list } companiesChecked listsChecked listsNotChecked { list reason } ${GAPS} }`,
    );
    expect(errors).toBeUndefined();
    expect(value).toMatchObject({ findings: [], companiesChecked: 4, listsChecked: ['OFAC_SDN', 'UN_CONSOLIDATED'], complete: true });
    const notChecked = value.listsNotChecked as never as { list: string; reason: string }[];
    expect(notChecked.map(({ reason }) => reason)).toEqual(['NO_TAX_ID', 'NO_TAX_ID', 'NO_TAX_ID']);
  });

  it('finds a listed company that owns the company', async () => {
    const { errors, value } = await company('cl-listed-owner', 'groupFindings { findings { company { identifier } list } }');
    expect(errors).toBeUndefined();
    expect(value.findings).toEqual([{ company: { identifier: rut('cl-sanctioned') }, list: 'OFAC_SDN' }]);
  });
});

describe('the cost of a search in the graph', () => {
  const costs = async (query: string) => (await app.query(query)).body.extensions.cost as { requested: number; actual: number };

  it('is at most that of the largest one, and counts what it has visited', async () => {
    const [from, to] = ['cl-large', 'cl-crowd-2'].map((scenario) => `{ identifier: "${rut(scenario)}", country: CL }`);
    expect(await costs(`{ connection(from: ${from}, to: ${to}) { status } }`)).toMatchObject({ requested: 101, actual: 2 });
    const ofCompany = (field: string) => costs(`{ company(identifier: "${rut('cl-large')}", country: CL) { ${field} } }`);
    expect(await ofCompany('ownershipGraph { complete }')).toMatchObject({ requested: 22, actual: 3 });
    expect(await ofCompany('group { complete }')).toMatchObject({ requested: 52, actual: 3 });
    expect(await ofCompany('groupFindings { complete }')).toMatchObject({ requested: 52, actual: 3 });
    expect([costOfCompanies(200), costOfCompanies(500)]).toEqual([20, 50]); // the largest ones
    expect(await ofCompany('a: group { complete } b: group(depth: 0) { complete }')).toMatchObject({ requested: 102, actual: 53 });
  });
});
