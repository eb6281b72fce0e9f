import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { buildSchema, execute as executeByGraphqlJs, type GraphQLObjectType, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { CacheMemory, createCacheMemory } from '../../src/cache/memory.ts';
import type { RequestContext } from '../../src/context.ts';
import { JsonTexts } from '../../src/domain/json-texts.ts';
import { createCompiledExecutor } from '../../src/graphql/compiled/executor.ts';
import { JsonText, TextBuilder } from '../../src/graphql/compiled/json-text.ts';
import { allowKeptText, type KeptText } from '../../src/graphql/compiled/kept-text.ts';
import { limitFields } from '../../src/graphql/limits/limit-fields.ts';
import { RequestSlices } from '../../src/scheduling/slices.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { executorComparison } from '../support/executor-comparison.ts';
import { randomOf } from '../support/random.ts';

setFlagsFromString('--allow-natives-syntax');
const isInOnePiece = runInThisContext('(text) => %StringIsFlat(text)') as (text: string | null) => boolean;

describe('the compiled executor', () => {
  it('writes the bytes that graphql-js gives for 400 generated operations, with the same errors and charges, and BAD_USER_INPUT for a condition that is null', async () => {
    const next = executorComparison(randomOf(Number(process.env.QUIPU_PROPERTY_SEED ?? 1)));
    let withErrors = 0;
    let withNullCondition = 0;
    for (let i = 0; i < 400; i += 1) {
      const { text, expected, written, codes, problem } = await next();
      expect(written, text).toEqual([expected, expected]);
      expect(new Set(codes), text).toEqual(new Set(codes.length > 0 ? ['BAD_USER_INPUT'] : []));
      if (codes.length > 0) expect(problem?.message, text).toMatch(/^Argument "if" of non-null type/);
      if (codes.length > 0) withNullCondition += 1;
      if (!expected.text.startsWith('undefined')) withErrors += 1;
    }
    expect(withErrors).toBeGreaterThan(50);
    expect(withErrors).toBeLessThan(390);
    expect(withNullCondition).toBeGreaterThan(20);
  });

  it('leaves mutations and introspection to graphql-js', async () => {
    const outcomes: string[] = [];
    const schema = buildSchema('type Query { a: Int } type Mutation { b: Int }');
    const observer = { countExecution: (outcome: string) => outcomes.push(outcome) } as never;
    const execute = createCompiledExecutor(schema, { memory: createCacheMemory(), observer });
    const context = { signal: new AbortController().signal, slices: new RequestSlices() } as unknown as RequestContext;
    const results = ['{ a }', 'mutation { b }', '{ __schema { __typename } }'].map((text) =>
      execute({ document: parse(text), coercedVariables: {} }, context),
    );
    expect(results).toEqual([{ data: new JsonText(['{"a":null}']) }, null, null]);
    expect(outcomes).toEqual(['compiled', 'not_a_query', 'introspection']);
  });

  it('writes an empty object where directives leave out every field', async () => {
    const schema = buildSchema('type Query { a: Thing } type Thing { name: String }');
    const a = schema.getQueryType()?.getFields().a;
    if (a) a.resolve = () => ({ name: 'x' });
    const execute = createCompiledExecutor(schema, { memory: createCacheMemory() });
    const context = { signal: new AbortController().signal, slices: new RequestSlices() } as unknown as RequestContext;
    const dataOf = (text: string) =>
      String((execute({ document: parse(text), coercedVariables: {} }, context) as { data?: unknown })?.data);
    expect(['{ a { name @skip(if: true) } }', '{ a @include(if: false) { name } }'].map(dataOf)).toEqual(['{"a":{}}', '{}']);
  });

  it('counts the texts that it keeps, and writes one again that was dropped for another', async () => {
    const schema = buildSchema('type Query { a: Thing b: Thing } type Thing { name: String }');
    const fields = schema.getQueryType()?.getFields();
    for (const name of ['a', 'b']) {
      const thing = allowKeptText({ name });
      if (fields?.[name]) fields[name].resolve = () => thing;
    }
    const memory = new CacheMemory(200); // for one text
    const execute = createCompiledExecutor(limitFields(schema), { memory });
    const bytes: unknown[] = [];
    for (const field of ['a', 'b', 'a', 'a']) {
      const context = { signal: new AbortController().signal, slices: new RequestSlices() } as unknown as RequestContext;
      const result = await execute({ document: parse(`{ ${field} { name } }`), coercedVariables: {} }, context);
      expect(result?.data).toEqual(new JsonText([`{"${field}":{"name":"${field}"}}`]));
      bytes.push(memory.bytes().get('texts'));
    }
    expect(bytes).toEqual([112, 112, 112, 112]);
  });

  it('keeps each text in one piece of memory, also when its code was compiled', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `field${i}`);
    const schema = buildSchema(`type Query { things: [Thing] } type Thing { ${names.map((name) => `${name}: String`).join(' ')} }`);
    const thing = () => allowKeptText(Object.fromEntries(names.map((name) => [name, 'a value'])));
    const things = schema.getQueryType()?.getFields().things;
    if (things) things.resolve = () => Array.from({ length: 5_000 }, thing);
    const texts: (string | null)[] = [];
    const memory = { add: ({ text }: KeptText) => texts.push(text), touch: () => undefined, remove: () => undefined };
    const execute = createCompiledExecutor(limitFields(schema), { memory });
    const document = parse(`{ things { ${names.join(' ')} } }`);
    for (let i = 0; i < 10; i += 1) {
      await execute({ document, coercedVariables: {} }, {
        signal: new AbortController().signal,
        slices: new RequestSlices(),
      } as unknown as RequestContext);
    }
    expect(texts).toHaveLength(50_000);
    expect(texts.filter((text) => !isInOnePiece(text))).toEqual([]);
  });

  it('writes each part of a long answer in one piece of memory, also when its code was compiled, and a text of many parts', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const schema = buildSchema(`type Query { pages: [Page] } type Page { items: [Item] } type Item { ${names.join(': String ')}: String }`);
    const pages = schema.getQueryType()?.getFields().pages;
    const items = Array.from({ length: 20 }, (_, i) => Object.fromEntries(names.map((name) => [name, `value ${i}`])));
    if (pages) pages.resolve = () => Array.from({ length: 100 }, () => ({ items }));
    const execute = createCompiledExecutor(limitFields(schema), { memory: createCacheMemory() });
    const document = parse(`{ pages { items { ${names.join(' ')} } } }`);
    for (let i = 0; i < 100; i += 1) {
      const context = { signal: new AbortController().signal, slices: new RequestSlices() } as unknown as RequestContext;
      const { data } = (await execute({ document, coercedVariables: {} }, context)) ?? {};
      const { pieces } = data as unknown as JsonText;
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.filter((piece) => !isInOnePiece(piece))).toEqual([]);
    }
    const builder = new TextBuilder();
    for (let i = 0; i < 40; i += 1) builder.add(',', `"value ${i}"`);
    expect(isInOnePiece(String(builder.end(']')))).toBe(true);
  });

  it('keeps the texts of all objects of an answer that takes several turns', async () => {
    const schema = buildSchema('type Query { things: [Thing] } type Thing { self: Thing parts: [Part] } type Part { name: String }');
    const things = Array.from({ length: 100 }, () => allowKeptText({ parts: Array(100).fill({ name: 'x' }) }));
    const list = schema.getQueryType()?.getFields().things;
    if (list) list.resolve = () => things.map((self) => ({ self }));
    const self = (schema.getType('Thing') as GraphQLObjectType).getFields().self;
    if (self) self.resolve = async (source) => (source as { self: object }).self;
    const memory = createCacheMemory();
    const context = { signal: new AbortController().signal, slices: new RequestSlices() } as unknown as RequestContext;
    const execute = createCompiledExecutor(limitFields(schema), { memory });
    await execute({ document: parse('{ things { self { parts { name } } } }'), coercedVariables: {} }, context);
    const text = JSON.stringify({ parts: Array(100).fill({ name: 'x' }) });
    expect(memory.bytes().get('texts')).toBe(100 * (100 + text.length));
  });

  it.each<[string, string, Iterable<unknown>]>([
    ['texts that are kept as JSON', '[String!]!', new JsonTexts('["a","ção","\\"\\\\"]', 3)],
    ['no texts that are kept as JSON', '[String!]!', new JsonTexts('[]', 0)],
    ['no items', '[String]', []],
    ['texts, of which some need escapes', '[String!]!', ['a', 'ção', '"\\', '\u2028', '\ud800', ...Array(600).fill('x')]],
    ['numbers and truth values', '[Float]', [1, -0, 1e21, true]],
    ['a null among 600 texts', '[String]', [...Array(300).fill('x'), null, ...Array(300).fill('y')]],
    ['a null where none may be', '[String!]', ['x', null, 'y']],
    ['texts that are no integers', '[Int]', [1, 'two', 3, 2 ** 40]],
    ['an integer that fails where none may', '[Int!]', [1, 2 ** 40]],
    ['an error and a promise', '[String]', ['x', new Error('lost'), Promise.resolve('y')]],
    ['objects that become texts', '[ID]', [{ toString: () => 'a' }, 7]],
  ])('writes a list of scalars with %s as graphql-js does', async (_, type, items) => {
    const schema = buildSchema(`type Query { list: ${type} }`);
    const list = schema.getQueryType()?.getFields().list;
    if (list) list.resolve = () => items;
    const document = parse('{ list }');
    const expected = await executeByGraphqlJs({ schema, document });
    const context = { signal: new AbortController().signal, slices: new RequestSlices() } as unknown as RequestContext;
    const result = await createCompiledExecutor(schema, { memory: createCacheMemory() })({ document, coercedVariables: {} }, context);
    expect(String(result?.data)).toBe(JSON.stringify(expected.data));
    expect(result?.errors?.map(({ path, message }) => ({ path, message }))).toEqual(
      expected.errors?.map(({ path, message }) => ({ path, message })),
    );
  });

  it('handles the rejection of an item that nobody waits for, because a later item is null', async () => {
    const schema = buildSchema('type Query { list: [Int!] }');
    const list = schema.getQueryType()?.getFields().list;
    if (list) list.resolve = () => [Promise.reject(new Error('too late')), null];
    const context = { signal: new AbortController().signal, slices: new RequestSlices() } as unknown as RequestContext;
    const result = await createCompiledExecutor(schema, { memory: createCacheMemory() })(
      { document: parse('{ list }'), coercedVariables: {} },
      context,
    );
    await new Promise((resolve) => setImmediate(resolve)); // an unhandled rejection fails the run
    expect(result?.data).toEqual(new JsonText(['{"list":null}']));
    expect(result?.errors?.map(({ path }) => path)).toEqual([['list', 1]]);
  });
});

describe('the service', () => {
  const now = () => Date.UTC(2026, 10, 21, 12);
  let apps: readonly TestApp[];
  beforeAll(async () => {
    apps = await Promise.all(['true', 'false'].map((on) => testApp({ now, env: { QUIPU_COMPILED_EXECUTOR: on } })));
  });
  afterAll(() => Promise.all(apps.map((app) => app.close())));

  const FRESHNESS = 'freshness { fetchedAt dataAsOf cached stale expiresAt }';
  const CHECKS = `compliance {
    riskLevel riskReasons { code check severity message } sourcesFailed completeness generatedAt
    checks { kyb { companyName status ${FRESHNESS} } owners { count owners { id name role } } sanctions { matches { id list } lists { list publishedOn } }
      debarment { records { id fineAmount dateStart } ${FRESHNESS} } labor { records { id year } } }
  }`;
  const ids = [...companies.slice(0, 40).map(({ cnpj }) => cnpj), '76.192.083-9', '900.123.456-8', 'no id'];
  const LIST = `query ($ids: [String!]!, $all: Boolean! = true) {
    companies(identifiers: $ids) { __typename id formattedIdentifier modules again: country name ...Checks @include(if: $all) owners { owners { name company { identifier } } } }
  } fragment Checks on Company { ${CHECKS} kyb { status registration isBranch ${FRESHNESS} } }`;

  it.each([
    ['a list of companies with a malformed id', LIST, { ids }],
    ['the same without its fragment', LIST, { ids, all: false }],
    [
      'a node and a missing one',
      '{ a: node(id: "Q29tcGFueTpCUjo5OTAzMDAwMTAwMDE0Ng") { id ... on Company { kyb { status } } } b: node(id: "x") { id } }',
      {},
    ],
    ['modules that the key does not have', LIST, { ids: ids.slice(0, 3) }],
  ])('answers alike with and without it, first and from the cache: %s', async (name, query, variables) => {
    for (let i = 0; i < 2; i += 1) {
      const [compiled, reference] = await Promise.all(
        apps.map(async (app) => {
          const key = name.startsWith('modules') ? await app.keyFor('kyb') : app.key;
          const headers = { 'content-type': 'application/json', 'x-api-key': key };
          let body: string;
          do ({ body } = await app.server.inject({ method: 'POST', url: '/graphql', headers, payload: { query, variables } }));
          while (body.includes('"SERVICE_UNAVAILABLE"')); // a busy machine may take longer than the deadline for recording usage
          return body.replaceAll(/"requestId":"[^"]+"|"remaining":\d+/g, '');
        }),
      );
      expect(reference).toContain('"data":{');
      expect(compiled).toBe(reference);
    }
  });

  const V = '($v: Boolean = true)';
  it.each([
    ['a field', `query ${V} { sources { name @include(if: $v) } }`],
    ['a field of the root', `query ${V} { sources @skip(if: $v) { name } }`],
    ['an inline fragment', `query ${V} { sources { ... @include(if: $v) { name } } }`],
    ['a fragment', `query ${V} { sources { ...F @skip(if: $v) } } fragment F on SourceStatus { name }`],
    ['a field within a fragment', `query ${V} { ...F } fragment F on Query { sources { name @skip(if: $v) } }`],
    ['a field of a list', `query ${V} { companies(identifiers: ["${companies[0]?.cnpj}"]) { id kyb { status @include(if: $v) } } }`],
    ['introspection', `query ${V} { __schema { types { name @include(if: $v) } } }`],
    ['a mutation', `mutation ${V} { cancelMonitor(input: { id: "x" }) { monitor { id @include(if: $v) } } }`],
    ['one of two operations', `query Other { sources { name } } query Asked ${V} { sources { name @include(if: $v) } }`, 'Asked'],
  ])('refuse a condition that is null with BAD_USER_INPUT and log no error: %s', async (_, query, operationName?: string) => {
    for (const app of apps) {
      const before = app.lines.length;
      const { status, body } = await app.post('/graphql', { query, operationName, variables: { v: null } });
      expect([status, body.errors[0].message, body.errors[0].extensions.code]).toEqual([
        400,
        'Argument "if" of non-null type "Boolean!" must not be null.',
        'BAD_USER_INPUT',
      ]);
      expect(app.lines.slice(before).filter(({ level }) => Number(level) >= 40)).toEqual([]);
      expect((await app.post('/graphql', { query, operationName })).body.errors?.[0].extensions.code).not.toBe('BAD_USER_INPUT');
    }
  });

  it('refuses a subscription with a condition that is null with BAD_USER_INPUT', async () => {
    for (const app of apps) {
      const { body, statusCode } = await app.server.inject({
        method: 'POST',
        url: '/graphql',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': app.key },
        payload: { query: `subscription ${V} { companyChanged { id cursor @include(if: $v) } }`, variables: { v: null } },
      });
      expect([statusCode, body]).toEqual([200, expect.stringContaining('"code":"BAD_USER_INPUT"')]);
    }
  });

  it('answers an operation whose null stands in the directive of another operation of the document', async () => {
    const query = `query Asked { sources { name } } query Other ${V} { sources { name @include(if: $v) } }`;
    for (const app of apps) {
      const { status, body } = await app.post('/graphql', { query, operationName: 'Asked', variables: { v: null } });
      expect([status, body.errors]).toEqual([200, undefined]);
    }
  });
});
