import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { toCursor } from '../../src/domain/paging.ts';
import { MINUTE_MS } from '../../src/domain/time.ts';
import { type TestApp, testApp } from '../support/app.ts';

const CNPJ = companyByScenario('clean').cnpj;

/** What Postgres refuses in a text. */
const ODD = ['a\u0000b', '\u0000', '\ud800 x', 'x\udfff'];

const SCHEMA = buildSchema(readFileSync('schema/schema.graphql', 'utf8'));

let app: TestApp;
let now = Date.parse('2026-11-22T10:00:00Z');
beforeAll(async () => {
  app = await testApp({ now: () => now });
});
afterAll(() => app.close());

/** Lines of the log about an error of the service itself. */
const errorsLogged = () => app.lines.filter(({ level }) => Number(level) >= 50);

/* GraphQL: every argument of every field, and every member of every input, of a type that is written as text. */

const TEXTS = new Set(['String', 'ID', 'Url', 'URL', 'EmailAddress', 'Date', 'DateTime']);

/** A value for an argument that is not under test, by its name or its type. */
function usual(name: string, type: GraphQLInputType): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return [usual(name, inner.ofType)];
  if (isInputObjectType(inner)) {
    const required = Object.values(inner.getFields()).filter((field) => isNonNullType(field.type));
    return Object.fromEntries(required.map((field) => [field.name, usual(field.name, field.type)]));
  }
  if (isEnumType(inner)) return inner.getValues()[0]?.name;
  if (inner.name === 'Int') return 1;
  if (inner.name === 'Boolean') return false;
  return /identifier/i.test(name) ? CNPJ : /url/i.test(name) ? 'https://127.0.0.1/hook' : 'x';
}

/** Values of the type with an odd text in one place each; all other places are usual. */
function* oddValues(name: string, type: GraphQLInputType, odd: string): Generator<{ readonly place: string; readonly value: unknown }> {
  const inner = getNullableType(type);
  if (isListType(inner)) for (const one of oddValues(name, inner.ofType, odd)) yield { place: one.place, value: [one.value] };
  else if (isInputObjectType(inner)) {
    const base = usual(name, inner) as object;
    for (const field of Object.values(inner.getFields()))
      for (const one of oddValues(field.name, field.type, odd))
        yield { place: `${name}.${one.place}`, value: { ...base, [field.name]: one.value } };
  } else if (isLeafType(inner) && !isEnumType(inner) && TEXTS.has(inner.name)) yield { place: name, value: odd };
}

interface Step {
  readonly field: GraphQLField<unknown, unknown>;
  /** The type that the field is asked of. */
  readonly on: GraphQLObjectType;
}

/** The shortest way from a root type to each object type. */
function ways(schema: GraphQLSchema, root: GraphQLObjectType): ReadonlyMap<GraphQLObjectType, readonly Step[]> {
  const found = new Map<GraphQLObjectType, readonly Step[]>([[root, []]]);
  for (const [type, way] of found) {
    for (const field of Object.values(type.getFields())) {
      const named = getNamedType(field.type);
      const types = isObjectType(named) ? [named] : isInterfaceType(named) || isUnionType(named) ? schema.getPossibleTypes(named) : [];
      for (const next of types) if (!found.has(next)) found.set(next, [...way, { field, on: type }]);
    }
  }
  return found;
}

interface Operation {
  readonly name: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** An operation that gives `odd` to an argument of the last field of a way, and usual values to all that is required. */
function operation(
  kind: string,
  way: readonly Step[],
  argument: GraphQLArgument,
  odd: { readonly place: string; readonly value: unknown },
): Operation {
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const fields = way.map(({ field }, depth) => {
    const args = field.args.flatMap((arg) => {
      const isOdd = depth === way.length - 1 && arg === argument;
      if (!isOdd && !isNonNullType(arg.type)) return [];
      const variable = `v${declared.length}`;
      declared.push(`$${variable}: ${arg.type}`);
      variables[variable] = isOdd ? odd.value : usual(arg.name, arg.type);
      return [`${arg.name}: $${variable}`];
    });
    return args.length > 0 ? `${field.name}(${args.join(', ')})` : field.name;
  });
  const last = way.at(-1)?.field;
  const isLeaf = last !== undefined && isLeafType(getNamedType(last.type));
  const selection = way.reduceRight((inner, step, depth) => {
    const next = way[depth + 1];
    const named = getNamedType(step.field.type);
    const within = next && named !== next.on ? `... on ${next.on.name} { ${inner} }` : inner;
    return depth === way.length - 1 ? `${fields[depth]}${isLeaf ? '' : ' { __typename }'}` : `${fields[depth]} { ${within} }`;
  }, '');
  return {
    name: `${way.map(({ field }) => field.name).join('.')} ${odd.place}`,
    query: `${kind} (${declared.join(', ')}) { ${selection} }`,
    variables,
  };
}

function operations(schema: GraphQLSchema, odd: string): Operation[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const;
  return roots.flatMap(([kind, root]) => {
    if (!root) return [];
    const targets: Iterable<readonly [GraphQLObjectType, readonly Step[]]> = kind === 'query' ? ways(schema, root) : [[root, []]];
    return [...targets].flatMap(([type, way]) =>
      Object.values(type.getFields()).flatMap((field) =>
        field.args.flatMap((argument) =>
          [...oddValues(argument.name, argument.type, odd)].map((value) => operation(kind, [...way, { field, on: type }], argument, value)),
        ),
      ),
    );
  });
}

/* REST: every parameter and every member of every body that is text, from the description of the API. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}
interface Route {
  readonly parameters?: readonly { readonly name?: string; readonly in?: string; readonly schema?: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
const API: ApiDescription = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));

const resolved = (schema: Schema): Schema => (schema.$ref ? (API.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema);
const isText = ({ type, enum: values }: Schema): boolean => values === undefined && [type].flat().includes('string');

const USUAL: Readonly<Record<string, unknown>> = {
  cnpj: CNPJ,
  identifier: CNPJ,
  identifiers: [CNPJ],
  country: 'BR',
  email: 'someone@example.com',
  domain: 'example.com',
  webhook_url: 'https://127.0.0.1/hook',
  query: 'agua',
};

interface Sent {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
}

function requests(odd: string): readonly Sent[] {
  return Object.entries(API.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
      const name = `${method} ${path}`;
      const url = path.replace(/\{\w+\}/g, 'x');
      const body = resolved(Object.values(requestBody?.content ?? {})[0]?.schema ?? {});
      const base = Object.fromEntries((body.required ?? []).map((member) => [member, USUAL[member] ?? 'x']));
      const members = Object.entries(body.properties ?? {}).flatMap(([member, schema]): Sent[] => {
        const kinds = [schema, ...(schema.anyOf ?? [])].map(resolved);
        const list = kinds.find(({ items }) => items && isText(resolved(items)));
        if (!list && !kinds.some(isText)) return [];
        return [{ name: `${name} ${member}`, method, url, body: { ...base, [member]: list ? [odd] : odd } }];
      });
      const inUrl = parameters.flatMap(({ name: parameter = '', in: place }): Sent[] => {
        const encoded = [...Buffer.from(odd)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
        if (place === 'query') return [{ name: `${name} ${parameter}`, method, url: `${url}?${parameter}=${encoded}` }];
        return place === 'path' ? [{ name: `${name} ${parameter}`, method, url: path.replace(`{${parameter}}`, encoded) }] : [];
      });
      return [...members, ...inUrl];
    }),
  );
}

/** Cursors as the service makes them, with an odd text in each place. */
const oddCursors = (odd: string): readonly string[] =>
  ['order', 'award', 'notice', 'company', 'held', 'change', 'screening', 'monitor', 'delivery'].flatMap((kind) =>
    [[odd], [null, odd], [odd, '1'], ['1', odd], ['BR', odd, 'receita_federal'], ['BR', CNPJ, odd]].map((key) => toCursor(kind, key)),
  );

// https://github.com/BlueBrain/nexus/issues/3757 and https://github.com/jOOQ/jOOQ/issues/13903: a caller's text with U+0000 becomes a
// server error, because Postgres takes it neither in a text nor in jsonb.
describe('a text that Postgres refuses', () => {
  it.each(ODD)('causes no internal error in GraphQL, whichever argument has it: %j', async (odd) => {
    const all = operations(SCHEMA, odd);
    expect(all.length).toBeGreaterThan(40);
    const cursors = operations(SCHEMA, 'CURSOR').filter(({ name }) => name.endsWith(' after'));
    expect(cursors.length).toBeGreaterThan(5);
    for (const cursor of oddCursors(odd))
      for (const { variables, ...rest } of cursors)
        all.push({
          ...rest,
          variables: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value === 'CURSOR' ? cursor : value])),
        });
    const internal: string[] = [];
    for (const { name, query, variables } of all) {
      now += MINUTE_MS; // no limit of requests hides an argument
      const { status, body } = await app.query(query, variables);
      const codes: string[] = (body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code);
      expect(codes, `${name} ${query}`).not.toContainEqual(expect.stringMatching('GRAPHQL_VALIDATION_FAILED|RATE_LIMITED'));
      if (status >= 500 || codes.includes('INTERNAL')) internal.push(name);
    }
    expect([internal, errorsLogged()]).toEqual([[], []]);
  });

  it.each(ODD)('causes no internal error in REST, whichever parameter has it: %j', async (odd) => {
    const all = requests(odd);
    expect(all.length).toBeGreaterThan(40);
    const internal: string[] = [];
    for (const { name, method, url, body } of all) {
      now += MINUTE_MS;
      const answer = await app.server.inject({
        method: method.toUpperCase() as 'GET',
        url,
        headers: { 'x-api-key': app.key, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      });
      expect(answer.statusCode, name).not.toBe(429);
      if (answer.statusCode === 500) internal.push(name);
    }
    expect([internal, errorsLogged()]).toEqual([[], []]);
  });

  it('is stored without what Postgres refuses, in REST and GraphQL alike', async () => {
    const body = { identifiers: [CNPJ], country: 'BR', name: 'a\u0000b\ud800' };
    expect(await app.post('/v1/screenings', body)).toMatchObject({ status: 200, body: { name: 'ab\ufffd' } });
    const query = 'mutation ($input: StartScreeningInput!) { startScreening(input: $input) { screening { name } } }';
    const { body: answer } = await app.query(query, { input: { identifiers: [CNPJ], name: body.name } });
    expect(answer.data.startScreening.screening.name).toBe('ab\ufffd');
  });
});
