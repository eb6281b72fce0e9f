import {
  type DocumentNode,
  execute,
  GraphQLEnumType,
  type GraphQLError,
  type GraphQLFieldConfig,
  GraphQLID,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLString,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import type { Logger } from 'pino';
import { createCacheMemory } from '../../src/cache/memory.ts';
import type { RequestContext } from '../../src/context.ts';
import { createCompiledExecutor } from '../../src/graphql/compiled/executor.ts';
import { JsonText } from '../../src/graphql/compiled/json-text.ts';
import { allowKeptText } from '../../src/graphql/compiled/kept-text.ts';
import { budgetOf } from '../../src/graphql/limits/answer-budget.ts';
import { requireConditions } from '../../src/graphql/limits/conditions.ts';
import { limitFields } from '../../src/graphql/limits/limit-fields.ts';
import { promiseItems } from '../../src/graphql/limits/list-slices.ts';
import { RequestSlices } from '../../src/scheduling/slices.ts';
import { formatErrors } from '../../src/server/graphql/execute.ts';

/** Result of an executor for an operation: the bytes of errors and data, and the charges. */
export interface Outcome {
  readonly text: string;
  readonly points: number;
  readonly values: number;
}

/**
 * Generates operations over a schema of every kind of type, whose resolvers return values, nulls, errors, promises of them and lists of
 * promises, and executes each by graphql-js and by the compiled executor. The same numbers of `random` give the same operations and
 * values.
 */
export function executorComparison(random: () => number) {
  const schema = limitFields(exampleSchema());
  const compiled = createCompiledExecutor(schema, { memory: createCacheMemory() });
  const number = (below: number): number => Math.floor(random() * below);

  return async () => {
    const text = operationText(schema, random);
    const document = parse(text);
    const problems = validate(schema, document);
    if (problems.length > 0) throw new Error(`${problems[0]?.message}: ${text}`);
    const variableValues = { yes: random() < 0.7, number: number(9), ...maybe(random) };
    const operation = requireOperation(document);
    const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues);
    const seed = number(1_000_000);
    const contextOf = (isMixed = false) =>
      ({ signal: new AbortController().signal, slices: new RequestSlices(), seed, isMixed }) as unknown as RequestContext;
    const outcome = (context: RequestContext, errors: unknown, data: string): Outcome => {
      const { points, values } = budgetOf(context);
      return { text: `${JSON.stringify(errors)} ${data}`, points, values };
    };

    const reference = contextOf();
    const { errors, data } = await execute({ schema, document, variableValues, contextValue: reference });
    const expected = outcome(reference, errors, JSON.stringify(data));
    const written: Outcome[] = [];
    for (let i = 0; i < 2; i += 1) {
      const context = contextOf();
      const result =
        (await compiled({ document, coercedVariables: coerced }, context)) ??
        (await execute({ schema, document, variableValues, contextValue: context }));
      const json: unknown = result.data;
      written.push(outcome(context, result.errors, json instanceof JsonText ? String(json) : JSON.stringify(json)));
    }
    const mixed = contextOf(true);
    promiseItems(mixed);
    await execute({ schema, document, variableValues, contextValue: mixed }); // the test run fails for a rejection that nothing handles
    await compiled({ document, coercedVariables: coerced }, contextOf(true));
    const formatted = formatErrors(errors ?? [], { requestId: 'request', language: 'en' }, log);
    const codes = formatted.filter(({ message }) => message.startsWith('Argument "if"')).map(({ extensions }) => extensions?.code);
    const problem = refusalOf(document, operation, coerced);
    return { text: `${text} ${JSON.stringify(variableValues)}`, expected, written, codes, problem };
  };
}

/** Draws the variable of a condition that has a default value: a value, null, or nothing. */
const maybe = (random: () => number): { readonly maybe?: boolean | null } => {
  const chance = random();
  return chance < 0.3 ? {} : { maybe: chance < 0.7 ? null : chance < 0.85 };
};

function requireOperation(document: DocumentNode): OperationDefinitionNode {
  const operation = getOperationAST(document);
  if (!operation) throw new Error('the document has no operation');
  return operation;
}

/** Returns the error by which the service refuses an operation before it runs because of a condition; null without one. */
function refusalOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): GraphQLError | null {
  try {
    requireConditions({ document, operation, variables });
    return null;
  } catch (error) {
    return error as GraphQLError;
  }
}

const log = { error: () => undefined } as unknown as Logger;

/** The value of a resolver. It has its own seed, so that both executors get the same values in any order. */
interface Source {
  readonly seed: number;
  readonly typename: string;
}

/** Creates numbers from 0 to 1 that depend on a seed and the name of a field. */
function drawn(seed: number, name: string): () => number {
  let state = [...name].reduce((sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0, (seed ^ 0x811c9dc5) >>> 0);
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

const TEXTS = ['', 'plain', 'São "Paulo"\n', '\u2028\u0000\ud83d', '<script>'];
const shared = new Map<string, object>();

/** Draws a value of the type, null, or an error. */
function valueFor(type: GraphQLOutputType, random: () => number, isMixed: boolean): unknown {
  const chance = random();
  if (chance < 0.05) return null;
  if (chance < 0.08) return new Error('an error as a value');
  const named = type instanceof GraphQLNonNull ? (type.ofType as GraphQLOutputType) : type;
  if (chance < 0.1 && named !== node) return { wrong: true };
  if (named instanceof GraphQLList) {
    const count = Math.floor(random() * 4);
    // The items of a list that is not mixed are all promises, or all leaves in memory, if they must not be null.
    const some = isMixed || !(named.ofType instanceof GraphQLNonNull);
    const share = some ? 0.2 : isComposite(named.ofType) || random() < 0.5 ? 1 : 0;
    return Array.from({ length: count }, () => later(valueFor(named.ofType, random, isMixed), random, share));
  }
  if (named === GraphQLInt) return Math.floor(random() * 100);
  if (named === color) return ['red', 'green', 'mauve'][Math.floor(random() * 2.1)];
  if (named === GraphQLString || named === GraphQLID) return TEXTS[Math.floor(random() * TEXTS.length)];
  const seed = Math.floor(random() * 1_000_000);
  if (named === memory) return memoryOf(seed % 50, 2);
  return { seed, typename: named === node ? (seed % 2 ? 'A' : 'B') : String(named) };
}

/** Returns a value, throws it if it is an error, or promises either after some microtasks. */
function later(value: unknown, random: () => number, share: number): unknown {
  if (random() >= share) return value;
  const ticks = Math.floor(random() * 5);
  const rejects = random() < 0.2;
  const promise = (async () => {
    for (let i = 0; i < ticks; i += 1) await null;
    if (rejects) throw new Error(`rejected after ${ticks}`);
    return value;
  })();
  promise.catch(() => undefined); // an executor that has failed already may never read it
  return promise;
}

/** Returns an object without resolvers below, which all operations share like answers of the cache. */
function memoryOf(seed: number, depth: number): object {
  const name = `${seed}:${depth}`;
  const known = shared.get(name);
  if (known) return known;
  const random = drawn(seed, 'memory');
  const object = {
    text: seed % 11 === 0 ? null : TEXTS[seed % TEXTS.length],
    count: seed % 13 === 0 ? null : seed,
    numbers: seed % 7 === 0 ? null : Array.from({ length: seed % 4 }, () => Math.floor(random() * 9)),
    color: 'green',
    below: depth === 0 ? null : memoryOf(seed + 1, depth - 1),
    list: depth === 0 ? [] : [memoryOf(seed + 2, depth - 1), memoryOf(seed + 3, depth - 1)],
  };
  shared.set(name, seed % 2 ? allowKeptText(object) : object);
  return object;
}

const color = new GraphQLEnumType({ name: 'Color', values: { RED: { value: 'red' }, GREEN: { value: 'green' } } });
const required = <T extends GraphQLOutputType>(type: T) => new GraphQLNonNull(type as GraphQLObjectType);
const list = (type: GraphQLOutputType) => new GraphQLList(type);

const memory: GraphQLObjectType = new GraphQLObjectType({
  name: 'Memory',
  fields: () => ({
    text: { type: GraphQLString },
    count: { type: required(GraphQLInt as never) },
    numbers: { type: list(required(GraphQLInt as never)) },
    color: { type: color },
    below: { type: memory },
    list: { type: required(list(required(memory)) as never) },
  }),
});

const node = new GraphQLInterfaceType({
  name: 'Node',
  fields: { id: { type: GraphQLID } },
  resolveType: ({ typename, seed }: Source) => (seed % 5 === 0 ? Promise.resolve(typename) : typename) as string,
});

/** Creates a field whose resolver returns a value that depends on its parent. */
function field(
  type: GraphQLOutputType,
  share = 0.4,
): GraphQLFieldConfig<Source | undefined, { readonly seed: number; readonly isMixed: boolean }> {
  return {
    type,
    args: { x: { type: GraphQLInt, defaultValue: 3 }, y: { type: list(GraphQLString) as never } },
    resolve(source, { x, y }, { seed, isMixed }, { fieldName, path }) {
      const random = drawn(source?.seed ?? seed, `${fieldName} ${x} ${String(y)} ${path.typename}`);
      if (random() < 0.04) throw new Error(`${fieldName} failed`);
      return later(valueFor(type, random, isMixed), random, share);
    },
  };
}

const fields = () => ({
  id: field(GraphQLID, 0),
  name: field(GraphQLString),
  count: field(required(GraphQLInt as never)),
  color: field(color),
  tags: field(list(required(GraphQLString as never))),
  matrix: field(list(list(GraphQLInt))),
  memory: field(memory),
  memories: field(required(list(memory) as never)),
  a: field(a),
  b: field(required(b)),
  many: field(list(a)),
  manyRequired: field(list(required(b))),
  node: field(node),
  nodes: field(list(required(node as never))),
});
const a: GraphQLObjectType = new GraphQLObjectType({ name: 'A', interfaces: [node], fields });
const b: GraphQLObjectType = new GraphQLObjectType({ name: 'B', interfaces: [node], fields });

const exampleSchema = () =>
  new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: () => ({ ...fields(), a: field(required(a)) }) }),
    types: [a, b],
  });

/** Generates an operation with aliases, arguments, fragments, repeated fields and directives. */
function operationText(schema: GraphQLSchema, random: () => number): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const directive = () => (random() < 0.1 ? ` @${pick(['skip', 'include'])}(if: ${pick(['true', 'false', '$yes', '$maybe'])})` : '');
  let left = 40;
  let alias = 0;

  function selections(type: GraphQLObjectType | GraphQLInterfaceType, depth: number): string {
    const parts = Array.from({ length: 1 + Math.floor(random() * 5) }, () => selection(type, depth));
    return `{ ${random() < 0.7 ? '__typename ' : ''}${parts.join(' ')} }`;
  }

  function selection(type: GraphQLObjectType | GraphQLInterfaceType, depth: number): string {
    left -= 1;
    const chance = random();
    if (chance < 0.1) return `...${directive()} ${selections(type, depth)}`;
    if (chance < 0.2 && type !== memory)
      return `...On${pick(['A', 'B'])}${directive()}`.replace(/On./, (on) =>
        type === schema.getQueryType() ? 'OnQuery' : type === node ? on : `On${type.name}`,
      );
    if (chance < 0.35 && type === node) return `... on ${pick(['A', 'B', 'Node'])} { id }`;
    const all = Object.values(type.getFields()).filter(({ type }) => (left > 0 && depth < 5) || !isComposite(type));
    const chosen = pick(all);
    const args =
      chosen.args.length === 0 || random() < 0.7 ? '' : pick(['(x: 1)', '(x: $number)', '(x: null, y: ["ç", null])', '(y: "one")']);
    alias += 1;
    const name = random() < 0.3 || args !== '' ? `f${alias}: ` : '';
    const below = namedOf(chosen.type);
    const sub = below instanceof GraphQLObjectType || below instanceof GraphQLInterfaceType ? ` ${selections(below, depth + 1)}` : '';
    return `${name}${chosen.name}${args}${directive()}${sub}`;
  }

  const query = schema.getQueryType() as GraphQLObjectType;
  const root = `{ zz: __typename @include(if: $yes) zy: id(x: $number) ${selections(query, 0).slice(1)}`;
  const condition = root.includes('$maybe') ? `, $maybe: Boolean = ${pick(['true', 'false'])}` : '';
  const operation = `query Generated($yes: Boolean!, $number: Int${condition}) ${root}`;
  const fragments = ['Query', 'A', 'B'].map((name) => `fragment On${name} on ${name} { id name memory { text list { count } } }`);
  return [operation, ...fragments.filter((text) => operation.includes(`...${text.split(' ')[1]}`))].join('\n');
}

const namedOf = (type: GraphQLOutputType): GraphQLOutputType =>
  type instanceof GraphQLNonNull || type instanceof GraphQLList ? namedOf(type.ofType as GraphQLOutputType) : type;

const isComposite = (type: GraphQLOutputType): boolean => {
  const named = namedOf(type);
  return named instanceof GraphQLObjectType || named instanceof GraphQLInterfaceType;
};
