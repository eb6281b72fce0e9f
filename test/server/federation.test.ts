import { buildSubgraphSchema } from '@apollo/subgraph';
import { execute, parse, printSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies, companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { createCacheMemory } from '../../src/cache/memory.ts';
import type { RequestContext } from '../../src/context.ts';
import { createCompiledExecutor } from '../../src/graphql/compiled/executor.ts';
import { buildSchema } from '../../src/graphql/schema.ts';
import { resolvers } from '../../src/modules/index.ts';
import { RequestSlices } from '../../src/scheduling/slices.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { cnpjsFrom } from '../support/made-up-cnpjs.ts';

/** The service as a subgraph of Apollo Federation 2. */

let app: TestApp;
const sql: string[] = [];
beforeAll(async () => {
  app = await testApp({ env: { QUIPU_FEDERATION: 'true' } });
  app.db.on('query', ({ sql: text }: { sql: string }) => sql.push(text));
});
afterAll(() => app.close());

const registryCalls = () => app.sandbox?.requestsTo('receita_federal').length ?? 0;
const DEBARRED = companyByScenario('debarred-ceis').cnpj;
const company = (identifier: string) => ({ __typename: 'Company', country: 'BR', identifier });
/** The made-up world, filled up to 500 with companies that no registry knows. */
const fiveHundred = [...companies.map(({ cnpj }) => cnpj), ...cnpjsFrom(98_000_000, 500 - companies.length)];
const entities = (fields: string) =>
  `query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Company { ${fields} } } }`;
const ALL_CHECKS = 'identifier kyb { status } debarment { isDebarred } sanctions { isSanctioned } labor { hasViolations }';

describe('_service', () => {
  it('returns a schema with the keys of Company, which the library for subgraphs builds', async () => {
    const { sdl } = (await app.query('{ _service { sdl } }')).body.data._service;
    expect(sdl).toContain('type Company implements Node @key(fields: "country identifier") @key(fields: "id") {');
    expect(sdl).toMatch(/type PageInfo @shareable \{/);
    expect(sdl).not.toMatch(/_Any|_Entity|_entities|_Service|_service/);
    expect(printSchema(buildSubgraphSchema(parse(sdl)))).toContain('union _Entity = Company');
  });
});

describe('_entities', () => {
  it('answers 500 companies by one SQL statement on the lists, and calls the registry once for each and once for its date', async () => {
    sql.length = 0;
    const before = registryCalls();
    const { body } = await app.query(entities(ALL_CHECKS), { representations: fiveHundred.map(company) });
    expect(body.errors).toBeUndefined();
    expect(body.data._entities.map(({ identifier }: { identifier: string }) => identifier)).toEqual(fiveHundred);
    expect(sql.filter((text) => text.includes('registry_entries'))).toHaveLength(1);
    expect(registryCalls() - before).toBe(501);
  }, 60_000);

  it('has the answer and the cost of companies', async () => {
    const identifiers = fiveHundred.slice(0, 20);
    const asked = await app.query(`query ($ids: [String!]!) { companies(identifiers: $ids) { ${ALL_CHECKS} } }`, { ids: identifiers });
    const { body } = await app.query(entities(ALL_CHECKS), { representations: identifiers.map(company) });
    expect(body.data._entities).toEqual(asked.body.data.companies);
    const { requested, actual, counted } = body.extensions.cost;
    expect(asked.body.extensions.cost).toMatchObject({ requested, actual, counted });
  });

  it('finds a company by its id', async () => {
    const { id } = (await app.query(`{ company(identifier: "${DEBARRED}") { id } }`)).body.data.company;
    const { body } = await app.query(entities('identifier'), { representations: [{ __typename: 'Company', id }] });
    expect(body.data._entities).toEqual([{ identifier: DEBARRED }]);
  });

  it('is null with an error for what is no company, beside the others', async () => {
    const wrong = [{ __typename: 'Monitor', id: 'mon_1' }, company('1'), { __typename: 'Company' }, { __typename: 'Company', id: 'x' }, 7];
    const representations = [company(DEBARRED), ...wrong];
    const { body } = await app.query(entities('identifier'), { representations });
    expect(body.data._entities).toEqual([{ identifier: DEBARRED }, null, null, null, null, null]);
    const code = { extensions: { code: 'INVALID_INPUT' } };
    expect(body.errors).toMatchObject([1, 2, 3, 4, 5].map((index) => ({ ...code, path: ['_entities', index] })));
  });

  it('needs the module of each field', async () => {
    const { body } = await app.query(
      entities('identifier kyb { status }'),
      { representations: [company(DEBARRED)] },
      await app.keyFor('labor'),
    );
    expect(body.data._entities).toEqual([{ identifier: DEBARRED, kyb: null }]);
    expect(body.errors).toMatchObject([{ extensions: { code: 'MODULE_NOT_ENABLED' } }]);
  });

  it('is refused before it runs with more than 500 companies, in a variable and in the text, and above the ceiling of cost', async () => {
    const many = Array.from({ length: 501 }, () => company(DEBARRED));
    const before = registryCalls();
    const codes = async (query: string, representations: readonly object[] = []) =>
      (await app.query(query, { representations })).body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
    expect(await codes(entities('kyb { status }'), many)).toEqual(['INVALID_INPUT']);
    const literal = (count: number) => `{ _entities(representations: [${'{a:1},'.repeat(count)}]) { __typename } }`;
    expect(await codes(literal(501).replace('{ _', 'query ($representations: [_Any!]) { _'))).toEqual(['TOO_MANY_TOKENS']);
    const deep = 'owners { owners { company { owners { owners { company { kyb { status } } } } } } }';
    expect(await codes(entities(deep), many.slice(1))).toEqual(['COST_TOO_HIGH']);
    expect(registryCalls()).toBe(before);
  });

  it('gives the same bytes by the compiled executor and by graphql-js', async () => {
    const schema = buildSchema(resolvers, { federation: true });
    const toText = createCompiledExecutor(schema, { memory: createCacheMemory() });
    const fields = '__typename ... on Company { id country identifier formattedIdentifier } ... on Node { again: id }';
    const document = parse(`query ($r: [_Any!]!) { a: _entities(representations: $r) { ${fields} } b: _entities(representations: [{
      __typename: "Company", country: "BR", identifier: "${DEBARRED}" }, { __typename: "Other" }]) { ${fields} } _service { __typename } }`);
    const variableValues = { r: [company(DEBARRED), company('1'), ...fiveHundred.slice(0, 50).map(company)] };
    const contextValue = () => ({ signal: new AbortController().signal, slices: new RequestSlices() }) as unknown as RequestContext;
    const expected = await execute({ schema, document, variableValues, contextValue: contextValue() });
    const written = await toText({ document, coercedVariables: variableValues }, contextValue());
    expect(expected.errors).toHaveLength(2);
    expect(String(written?.data)).toBe(JSON.stringify(expected.data));
    expect(JSON.stringify(written?.errors)).toBe(JSON.stringify(expected.errors));
  });
});

describe('without the setting', () => {
  it('the schema has neither', async () => {
    const own = await testApp({ listsTried: false });
    for (const query of ['{ _service { sdl } }', '{ _entities(representations: []) { __typename } }'])
      expect((await own.query(query)).body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    await own.close();
  }, 60_000);
});
