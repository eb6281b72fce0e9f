import { readFileSync } from 'node:fs';
import { __Schema, getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fieldsOf, priceOf } from '../../../src/graphql/limits/cost.ts';
import { buildSchema } from '../../../src/graphql/schema.ts';
import { createPlans } from '../../../src/metering/plans.ts';
import { resolvers } from '../../../src/modules/index.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { type Ask, overHttp, overSocket, TRANSPORTS, times } from './support.ts';

let clock = Date.parse('2026-11-21T12:00:00Z');
let app: TestApp;
beforeAll(async () => {
  const plans = { small: { graphql: { ceiling: 100, burst: 150, perMinute: 60 } } };
  app = await testApp({ env: { QUIPU_PLANS: JSON.stringify(plans) }, now: () => clock });
});
afterAll(() => app.close());

const ID = '00000000000191';
const ids = (count: number) => ({ ids: Array<string>(count).fill(ID) });
const EVERY_CHECK = `name kyb { status freshness { fetchedAt } } profile { size } taxHealth { status } owners { count owners { name } }
  debarment { isDebarred records { source } } sanctions { isSanctioned matches { list } } labor { hasViolations records { year } }
  compliance { riskLevel riskReasons { message } checks { kyb { status } owners { owners { name } } } }
  tenders { nodes { code } pageInfo { hasNextPage } } awardedContracts { nodes { code } } monitors { nodes { id } } changes { nodes { id } }`;
const costs = async (ask: Ask, query: string, variables: object = {}) => (await ask(query, variables)).body.extensions.cost;
const keyOf = async (plan: string) => (await app.keys.create({ name: 'cost', modules: ['kyb', 'labor'], plan })).key;

describe.each(Object.entries(TRANSPORTS))('the cost of an operation over %s', (_transport, over) => {
  const ask: Ask = (...args) => over(app)(...args);

  it.each([
    ['1 by itself', '{ __typename }', {}, 1],
    ['1 for each question', `{ company(identifier: "${ID}") { id kyb { status } labor { hasViolations } } }`, {}, 4],
    [
      'the items of a list times what is asked of each',
      'query ($ids: [String!]!) { companies(identifiers: $ids) { id kyb { status } } }',
      ids(7),
      9,
    ],
    [
      'the items of a page, those left out included',
      '{ monitors { nodes { changes(first: 3) { nodes { monitor { id } } } } } }',
      {},
      2 + 20 * (1 + 3),
    ],
    [
      'the default page for a size that is null',
      '{ monitors(first: null) { nodes { changes(first: 3) { nodes { monitor { id } } } } } }',
      {},
      2 + 20 * (1 + 3),
    ],
    [
      'through fragments',
      `{ company(identifier: "${ID}") { ...F } } fragment F on Company { labor { ...L } } fragment L on LaborCheck { hasViolations }`,
      {},
      3,
    ],
    [
      'more for each name to screen',
      `{ company(identifier: "${ID}") { sanctions { a: possibleMatches { list } b: possibleMatches(name: "a") { list } } } }`,
      {},
      105,
    ],
    [
      'that of a name in a variable',
      'query ($name: String) { company(identifier: "99030001000146") { sanctions { possibleMatches(name: $name) { list } } } }',
      { name: 'a' },
      104,
    ],
    [
      'less for a name that is null',
      'query ($name: String) { company(identifier: "99030001000146") { sanctions { possibleMatches(name: $name) { list } } } }',
      { name: null },
      4,
    ],
    ['that of the tax ids of monitors', '{ monitors(first: 100) { nodes { identifiers } } }', {}, 102],
    ['more for what asks more', `{ company(identifier: "${ID}") { compliance { riskLevel } } }`, {}, 7],
  ])('is %s', async (_, query, variables, requested) => {
    expect((await costs(ask, query, variables)).requested).toBe(requested);
  });

  it('is returned beside the actual cost', async () => {
    const cost = await costs(ask, '{ monitors(first: 50) { nodes { changes { nodes { monitor { id } } } } } }');
    expect(cost).toEqual({ requested: 2 + 50 * 21, actual: 2, counted: {}, remaining: expect.any(Number), restoreRate: 1_000 });
  });
});

it('the cost of one document follows the sizes in its variables, however often it was asked', async () => {
  const requested = async (query: string, variables: object) => (await costs(overHttp(app), query, variables)).requested;
  const list = 'query ($ids: [String!]!) { companies(identifiers: $ids) { id kyb { status } } }';
  const page = 'query ($first: Int) { monitors(first: $first) { nodes { id } } monitorChanges: changes(first: $first) { nodes { id } } }';
  const type = 'query ($name: String!) { __type(name: $name) { fields { name type { name } args { name } } } }';
  for (const count of [7, 1, 7]) expect(await requested(list, ids(count))).toBe(2 + count);
  const ofNull = await requested(page, { first: null });
  expect(await requested(page, {})).toBe(ofNull);
  expect(await requested(type, { name: 'Nonsense' })).toBe(1);
  expect(await requested(type, { name: 'Company' })).toBeGreaterThan(10);
});

it('the price list is as documented: what costs more than 1', () => {
  const prices = new Map(
    fieldsOf(buildSchema(resolvers)).flatMap((field) => (priceOf(field) > 1 ? [[field.name, priceOf(field)] as const] : [])),
  );
  const names = Map.groupBy([...prices.keys()].sort(), (name) => prices.get(name) ?? 0);
  expect(Object.fromEntries([...names].map(([price, fields]) => [price, fields.join(' ')]))).toEqual({
    5: 'changeHistory compliance evidence ownersToReview portfolioHistory searchCompanies searchTenders sourceHistory usageByDay validateEmail',
    10: 'companyByDomain csv domainOwner techStack',
    20: 'beneficialOwners ownershipGraph',
    50: 'group groupFindings',
    100: 'confirmMatches connection dismissMatches',
  });
});

describe('GQ-03 the ceiling of cost', () => {
  it('allows 500 companies with every check, and no second such list', async () => {
    const one = await overHttp(app)(`query ($ids: [String!]!) { companies(identifiers: $ids) { ${EVERY_CHECK} } }`, ids(500));
    expect([one.status, one.body.extensions.cost.requested]).toEqual([200, 8_502]);
    const two = `query ($ids: [String!]!) { a: companies(identifiers: $ids) { ${EVERY_CHECK} } b: companies(identifiers: $ids) { id labor { year: hasViolations } kyb { status } owners { count } } }`;
    for (const ask of [overHttp(app), overSocket(app)]) {
      const { status, codes, messages } = await ask(two, ids(500));
      expect([status, codes]).toEqual([400, ['COST_TOO_HIGH']]);
      expect(messages[0]).toContain(createPlans()('standard').graphql.ceiling.toLocaleString('en'));
    }
  }, 60_000);

  it('is the plan’s: at it, and one beyond', async () => {
    const ask = overHttp(app, await keyOf('small'));
    const query = 'query ($ids: [String!]!) { companies(identifiers: $ids) { labor { hasViolations } } }';
    expect((await ask(query, ids(98))).status).toBe(200);
    expect(await ask(query, ids(99))).toMatchObject({
      status: 400,
      codes: ['COST_TOO_HIGH'],
      messages: [expect.stringMatching(/101 points.*100/)],
    });
  });

  it('counts lists in variables, and the most results behind every owner', async () => {
    const query =
      'query ($ids: [String!]!) { companies(identifiers: $ids) { ...O } } fragment O on Company { owners { owners { company { owners { owners { company { kyb { status } } } } } } } }';
    expect((await overHttp(app)(query, ids(500))).codes).toEqual(['COST_TOO_HIGH']);
  });
});

it('the counted answers have the order of the catalogue, whatever the order of the fields', async () => {
  const [identifier] = ids(1).ids;
  const fields = ['labor { hasViolations }', 'sanctions { isSanctioned }', 'kyb { status }', 'debarment { isDebarred }'];
  for (const order of [fields, fields.toReversed()]) {
    const { body } = await overHttp(app)(`{ company(identifier: "${identifier}") { ${order.join(' ')} } }`);
    expect(Object.keys(body.extensions.cost.counted)).toEqual(['KYB', 'DEBARMENT', 'SANCTIONS', 'LABOR']);
  }
});

describe('the points of a key', () => {
  it('are spent and refilled; an operation over the rest is 429 with Retry-After', async () => {
    const key = await keyOf('small');
    const ask = overHttp(app, key);
    const query = 'query ($ids: [String!]!) { companies(identifiers: $ids) { labor { hasViolations } } }';
    expect((await ask(query, ids(98))).body.extensions.cost).toEqual({
      requested: 100,
      actual: 100,
      counted: { LABOR: 1 },
      remaining: 50,
      restoreRate: 1,
    });
    const refused = await app.post('/graphql', { query, variables: ids(58) }, key);
    expect([refused.status, refused.headers['retry-after'], refused.body.errors[0].extensions]).toEqual([
      429,
      '10',
      { code: 'RATE_LIMITED', retryAfterSeconds: 10, requestId: expect.any(String) },
    ]);
    expect((await overSocket(app, key)(query, ids(58))).codes).toEqual(['RATE_LIMITED']);
    clock += 10_000;
    expect((await ask(query, ids(58))).body.extensions.cost.remaining).toBe(0);
    expect((await overHttp(app)(query, ids(58))).status).toBe(200);
  });
});

describe('the points of a document that is refused', () => {
  const COMMENT = `# ${'x'.repeat(1_000)}`;
  it.each([
    ['that is not valid', { query: `{ nothing } ${COMMENT}` }, 8],
    ['that cannot be parsed', { query: '{' }, 1],
    ['that is too long, at most the ceiling', { query: '{ '.padEnd(16_640) }, 100],
    [
      'over the ceiling',
      { query: 'query ($ids: [String!]!) { companies(identifiers: $ids) { id kyb { status } } }', variables: ids(99) },
      1,
    ],
    ['that is not registered', { documentId: 'a'.repeat(64) }, 1],
  ])('grow with its length: one %s', async (_, request, points) => {
    const key = await keyOf('small');
    const before = (await overHttp(app, key)('{ __typename }')).body.extensions.cost.remaining;
    expect((await app.post('/graphql', request, key)).status).toBe(400);
    expect((await overHttp(app, key)('{ __typename }')).body.extensions.cost.remaining).toBe(before - points - 1);
  });

  it('are owed beyond those of the key: it is refused, before the next document is read, until they have returned', async () => {
    const key = await keyOf('small');
    const long = { query: `{ nothing } # ${'x'.repeat(12_000)}` };
    for (let i = 0; i < 2; i += 1) expect((await app.post('/graphql', long, key)).status).toBe(400);
    const refused = await app.post('/graphql', { query: '{' }, key);
    const retryAfter = Number(refused.headers['retry-after']);
    expect([refused.status, refused.body.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
    expect(retryAfter).toBe(2 * Math.floor(12_014 / 128) + 2 - 150 + 1);
    expect((await overSocket(app, key)('{ __typename }')).codes).toEqual(['RATE_LIMITED']);
    clock += retryAfter * 1_000;
    expect((await overHttp(app, key)('{ __typename }')).status).toBe(200);
  });
});

describe('our own operations', () => {
  it.each(['compliance', 'owners-walk', 'portfolio', 'sources'])(
    '%s is within the limits',
    async (name) => {
      const query = readFileSync(`schema/operations/${name}.graphql`, 'utf8');
      expect((await overHttp(app)(query, { identifier: ID, identifiers: ids(500).ids })).status).toBe(200);
    },
    60_000,
  );

  it('GQ-03 the introspection of tools is exempt from depth', async () => {
    const { status, body } = await overHttp(app)(getIntrospectionQuery());
    expect([status, body.errors, body.data.__schema.queryType.name]).toEqual([200, undefined, 'Query']);
  });
});

describe('introspection', () => {
  const standard = getIntrospectionQuery();
  /** A document that differs from others, so that its answer is not kept. */
  const another = (name: string) => standard.replace('IntrospectionQuery', name);
  const valuesIn = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Object.values(value).reduce((sum: number, one) => sum + valuesIn(one), Array.isArray(value) ? 0 : Object.keys(value).length)
      : 0;

  it('costs a point for four values of its answer, on every transport', async () => {
    for (const [name, over] of Object.entries(TRANSPORTS)) {
      const { body } = await over(app)(another(name.replaceAll(' ', '')));
      const points = Math.ceil(valuesIn(body.data.__schema) / 4);
      // Lists of deprecated members are counted whether or not they are asked for.
      expect(body.extensions.cost).toMatchObject({ requested: expect.any(Number), actual: body.extensions.cost.requested });
      expect(Math.abs(body.extensions.cost.requested - points)).toBeLessThan(points / 50);
    }
  });

  it('costs little for a small answer, and nothing for a type that does not exist', async () => {
    const cost = async (query: string, variables = {}) => (await overHttp(app)(query, variables)).body.extensions.cost.requested;
    expect(await cost('{ __schema { queryType { name } } }')).toBe(2);
    expect(await cost('query ($name: String!) { __type(name: $name) { name kind } }', { name: 'Company' })).toBe(2);
    expect(await cost('{ __type(name: "Nonsense") { name kind } }')).toBe(1);
  });

  it('is refused over the ceiling before it runs', async () => {
    const big = standard.replace(
      /types \{\s*\.\.\.FullType\s*\}/,
      times(14, (i) => `a${i}: types { ...FullType }`),
    );
    const { status, codes } = await overHttp(app)(big);
    expect([status, codes]).toEqual([400, ['COST_TOO_HIGH']]);
  });

  it('is one field of an operation', async () => {
    for (const query of [
      '{ a: __schema { queryType { name } } b: __schema { queryType { name } } }',
      '{ __schema { queryType { name } } __type(name: "Query") { name } }',
      '{ ...A ...B } fragment A on Query { __schema { queryType { name } } } fragment B on Query { __type(name: "Query") { name } }',
    ]) {
      const { status, codes, messages } = await overHttp(app)(query);
      expect([status, codes, messages]).toEqual([
        400,
        ['TOO_MANY_ROOT_FIELDS'],
        ['This operation has 2 introspection fields; the maximum is 1.'],
      ]);
    }
  });

  it('runs once for each document: its answer is kept as text', async () => {
    const query = another('Kept');
    const [executed, first] = [await overSocket(app)(query), await overHttp(app)(query)];
    const { types } = __Schema.getFields();
    if (!types) throw new Error('the schema of schemas has types');
    const resolve = vi.spyOn(types, 'resolve');
    const second = await overHttp(app)(query);
    expect(resolve).not.toHaveBeenCalled();
    expect([first.body.data, second.body.data]).toEqual([executed.body.data, executed.body.data]);
    expect(second.body.extensions.cost.requested).toBe(executed.body.extensions.cost.requested);
    vi.restoreAllMocks();
  });
});
