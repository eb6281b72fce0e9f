import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithCopy } from '../../support/registry-copy.ts';

const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;
const nameOf = (scenario: string): string => companyByScenario(scenario).name;

let app: TestApp;
beforeAll(async () => {
  app = await appWithCopy();
}, 120_000);
afterAll(() => app.close());

const PATH = `status stoppedBy length visitedCompanies visitedPeople fromKnown toKnown reason freshness { dataAsOf }
  edges { owner { identifier } ownerName ownerIdentity { identifier name namesakes expectedOthers } owned { identifier } ownedName role since }`;
async function connection(from: string, to: string, args = '', of = app) {
  const { body } = await of.query(`query ($from: CompanyRef!, $to: CompanyRef!) { connection(from: $from, to: $to${args}) { ${PATH} } }`, {
    from: { identifier: from },
    to: { identifier: to, country: 'BR' },
  });
  return { ...body, path: body.data?.connection };
}
const body = (from: string, to: string, more = {}) => ({
  from: { identifier: from, country: 'BR' },
  to: { identifier: to, country: 'BR' },
  ...more,
});

const ELISA = { identifier: '***000082**', name: 'ELISA PEREIRA ALHURES', namesakes: 1, expectedOthers: 0 };

describe('Query.connection', () => {
  it('finds the path through an owner that is a company', async () => {
    const { errors, path, extensions } = await connection(cnpj('group-cellar'), cnpj('group-closed'));
    expect(errors).toBeUndefined();
    const edge = (owner: string, owned: string, since = '2015-06-01') => ({
      owner: { identifier: cnpj(owner) },
      ownerName: nameOf(owner),
      ownerIdentity: null,
      owned: { identifier: cnpj(owned) },
      ownedName: nameOf(owned),
      role: 'Sócio',
      since,
    });
    expect(path).toEqual({
      status: 'FOUND',
      stoppedBy: null,
      length: 3,
      visitedCompanies: expect.any(Number),
      visitedPeople: expect.any(Number),
      fromKnown: true,
      toKnown: true,
      reason: null,
      freshness: { dataAsOf: expect.stringMatching(/-14$/) },
      edges: [edge('group-leaf', 'group-cellar'), edge('group-middle', 'group-leaf'), edge('group-middle', 'group-closed', '2016-01-04')],
    });
    expect(extensions.cost.counted).toEqual({ OWNERS: 1 });
  });

  it('finds the path through a person, whose identity is probable', async () => {
    const { path } = await connection(cnpj('group-leaf'), cnpj('group-neighbour'));
    expect(path.edges).toMatchObject([
      { owner: null, ownerName: ELISA.name, ownerIdentity: ELISA, owned: { identifier: cnpj('group-leaf') }, role: 'Sócio-Administrador' },
      { owner: null, ownerIdentity: ELISA, owned: { identifier: cnpj('group-neighbour') }, since: '2019-07-01' },
    ]);
    expect((await connection(cnpj('group-leaf'), cnpj('group-neighbour'), ', people: false')).path).toMatchObject({
      status: 'NONE_WITHIN_LIMITS',
      length: null,
      edges: [],
      visitedPeople: 0,
    });
  });

  it('says that no path is within the limits, and which company is not known', async () => {
    expect((await connection(cnpj('group-cellar'), cnpj('group-neighbour'), ', maxDepth: 2')).path).toMatchObject({
      status: 'NONE_WITHIN_LIMITS',
      toKnown: true,
    });
    const { path, extensions } = await connection('00.000.000/0001-91', cnpj('unknown'));
    expect(path).toMatchObject({ status: 'NONE_WITHIN_LIMITS', fromKnown: false, toKnown: false });
    expect(extensions.cost.counted).toEqual({});
  });

  it('has no edges between a company and its branch', async () => {
    expect((await connection(cnpj('group-middle'), cnpj('group-middle-branch'))).path).toMatchObject({
      status: 'FOUND',
      length: 0,
      edges: [],
    });
  });

  it.each([
    ['a depth of 7', ', maxDepth: 7', undefined, 'INVALID_INPUT', 'maxDepth'],
    ['a malformed CNPJ', '', '99.010.001/0001-85', 'INVALID_INPUT', 'to.identifier'],
  ])('refuses %s', async (_, args, to, code, field) => {
    const { path, errors } = await connection(cnpj('clean'), to ?? cnpj('clean'), args);
    expect([path, errors[0].extensions]).toMatchObject([null, { code, field }]);
  });

  it('needs the module, and companies of Brazil or Chile', async () => {
    const query = 'query ($from: CompanyRef!) { connection(from: $from, to: $from) { status } }';
    const refused = await app.query(query, { from: { identifier: cnpj('clean') } }, await app.keyFor('kyb'));
    expect(refused.body.errors[0].extensions).toMatchObject({ code: 'MODULE_NOT_ENABLED' });
    const colombian = await app.query(query, { from: { identifier: '900.964.705-5', country: 'CO' } });
    expect(colombian.body.errors[0].extensions).toMatchObject({ code: 'UNSUPPORTED_COUNTRY' });
  });

  it('is an error and never "none" on a service without a copy', async () => {
    const bare = await testApp();
    try {
      const { path, errors } = await connection(cnpj('group-leaf'), cnpj('group-neighbour'), '', bare);
      expect([path, errors[0].extensions.code]).toEqual([null, 'SOURCE_NOT_CONFIGURED']);
      expect(await bare.post('/v1/connection', body(cnpj('group-leaf'), cnpj('group-neighbour')))).toMatchObject({
        status: 503,
        body: { code: 'source_not_configured' },
      });
      expect(await bare.post('/v1/group', { identifier: cnpj('group-middle'), country: 'BR', direction: 'down' })).toMatchObject({
        status: 503,
        body: { code: 'source_not_configured' },
      });
    } finally {
      await bare.close();
    }
  }, 120_000);
});

describe('POST /v1/connection', () => {
  it('replies with the same path', async () => {
    expect(await app.post('/v1/connection', body(cnpj('group-leaf'), cnpj('group-neighbour')))).toMatchObject({
      status: 200,
      body: {
        status: 'found',
        stopped_by: null,
        length: 2,
        edges: [
          {
            owner: null,
            person: { name: ELISA.name, identity: { identifier: ELISA.identifier, namesakes: 1, expected_others: 0 } },
            owned: { identifier: cnpj('group-leaf'), company_name: nameOf('group-leaf') },
          },
          { owned: { identifier: cnpj('group-neighbour') } },
        ],
        from_known: true,
        to_known: true,
      },
    });
    expect(await app.post('/v1/connection', body(cnpj('group-leaf'), cnpj('group-neighbour'), { people: false }))).toMatchObject({
      body: { status: 'none_within_limits', length: null, edges: [] },
    });
  });

  it.each([
    ['a depth of 7', { max_depth: 7 }, 'max_depth'],
    ['a malformed CNPJ', { to: { identifier: '99.010.001/0001-85', country: 'BR' } }, 'to.identifier'],
  ])('refuses %s', async (_, over, field) => {
    expect(await app.post('/v1/connection', body(cnpj('clean'), cnpj('clean'), over))).toMatchObject({
      status: 422,
      body: { code: 'invalid_input', errors: [{ field }] },
    });
  });
});

describe('POST /v1/group', () => {
  it('replies with the graph of Company.group', async () => {
    const reply = await app.post('/v1/group', { identifier: cnpj('group-leaf'), country: 'BR' });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        identifier: cnpj('group-leaf'),
        country: 'BR',
        nodes: ['group-leaf', 'group-middle', 'group-cellar', 'debarred-both'].map((one) => ({
          identifier: cnpj(one),
          company_name: nameOf(one),
        })),
        complete: true,
        not_seen: [],
      },
    });
    expect(reply.body.edges).toHaveLength(3);
  });

  it.each([
    [{ depth: 11 }, 422, 'invalid_input'],
    [{ direction: 'sideways' }, 422, 'invalid_input'],
    [{ country: 'CO' }, 422, 'unsupported_country'],
    [{ identifier: '00.000.000/0001-91' }, 404, 'company_not_found'],
  ])('refuses %o', async (over, status, code) => {
    expect(await app.post('/v1/group', { identifier: cnpj('clean'), country: 'BR', ...over })).toMatchObject({ status, body: { code } });
  });
});
