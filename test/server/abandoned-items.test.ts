import { setTimeout as delay } from 'node:timers/promises';
import { buildSchema, type GraphQLObjectType, OperationTypeNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../src/context.ts';
import { limitFields } from '../../src/graphql/limits/limit-fields.ts';
import { RequestSlices } from '../../src/scheduling/slices.ts';
import { isStarted, type PreparedOperation, runOperation, subscribe } from '../../src/server/graphql/execute.ts';

const SDL = `
  type Query { items: [Item!] texts: [String!] many: [Item] }
  type Subscription { changed: Change }
  type Change { items: [Item!] }
  type Item { slow: String! given: Int! parts: [Part!] }
  type Part { text: String priced: String }`;

/** Creates the items of a list when it is resolved. */
type Items = () => readonly unknown[];

/** A schema whose lists have these items. `slow` rejects after a moment. */
function schemaOf(items: Items) {
  const schema = buildSchema(SDL);
  const set = (type: string, field: string, resolvers: object) =>
    Object.assign((schema.getType(type) as GraphQLObjectType).getFields()[field] ?? {}, resolvers);
  for (const field of ['items', 'texts', 'many']) set('Query', field, { resolve: items });
  set('Change', 'items', { resolve: items });
  set('Subscription', 'changed', {
    async *subscribe() {
      yield {};
    },
    resolve: (event: unknown) => event,
  });
  set('Item', 'slow', {
    resolve: async ({ isSlow }: { readonly isSlow?: boolean }) => {
      if (isSlow) throw await delay(5, new Error('failed late'));
      return 'in time';
    },
  });
  set('Part', 'priced', {
    extensions: { cost: 3 },
    resolve: () => 'loaded',
  });
  return limitFields(schema);
}

const contextOf = ({ signal = new AbortController().signal } = {}) =>
  ({
    signal,
    slices: new RequestSlices(),
    uses: { modules: new Set(), counted: new Map(), hasOpened: false },
    execute: async (work: () => unknown) => work(),
  }) as unknown as RequestContext;

function prepared(text: string, items: Items, type = OperationTypeNode.QUERY): PreparedOperation {
  const cost = { requested: 10, introspection: 0, remaining: 0, restoreRate: 0, ceiling: 100, chargeExcess: async () => undefined };
  return { schema: schemaOf(items), document: parse(text), coercedVariables: {}, type, cost };
}

/** Does the work, and returns its result and the rejections that nothing handled until all of it had settled. */
async function observed<T>(work: () => Promise<T>): Promise<{ result: T; unhandled: readonly unknown[] }> {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
  try {
    const result = await work();
    await delay(30);
    return { result, unhandled };
  } finally {
    process.off('unhandledRejection', note);
    for (const other of others) process.on('unhandledRejection', other);
  }
}

const SLOW = { isSlow: true, given: 1 };
const rejectsIn = (ms: number) => delay(ms).then(() => Promise.reject(new Error('failed late')));

describe('an item that fails at once, after one that fails later', () => {
  it.each<[string, string, Items, RegExp]>([
    [
      'exceeds the values of its operation',
      '{ items { parts { text } slow } }',
      () => [SLOW, { parts: Array(3_000).fill({}) }],
      /values in its answer/,
    ],
    [
      'exceeds the points of its operation',
      '{ items { parts { priced } slow } }',
      () => [SLOW, { parts: Array(40).fill({}) }],
      /points of cost/,
    ],
    ['lacks a value that it must have', '{ items { given slow } }', () => [SLOW, { given: null }], /Cannot return null/],
    ['has a value of another type', '{ items { given slow } }', () => [SLOW, { given: 'no number' }], /Int cannot represent/],
    ['is null', '{ items { slow } }', () => [SLOW, null], /Cannot return null/],
    ['is an error', '{ items { slow } }', () => [SLOW, new Error('failed at once')], /failed at once/],
    ['is a text among promises', '{ texts }', () => [rejectsIn(5), {}], /String cannot represent/],
  ])('ends the list and leaves no rejection unhandled, if it %s', async (_, text, items, error) => {
    const { result, unhandled } = await observed(() => runOperation(prepared(text, items), contextOf()));
    expect(unhandled).toEqual([]);
    expect(result.errors).toHaveLength(1);
    expect(result.errors?.[0]?.message).toMatch(error);
  });

  it('leaves no rejection unhandled in the event of a subscription', async () => {
    const operation = prepared(
      'subscription { changed { items { given slow } } }',
      () => [SLOW, { given: null }],
      OperationTypeNode.SUBSCRIPTION,
    );
    const { result, unhandled } = await observed(async () => {
      const started = await subscribe(operation, contextOf, () => ({ signal: new AbortController().signal, end: () => undefined }));
      return isStarted(started) ? (await started.next()).value : started;
    });
    expect(unhandled).toEqual([]);
    expect(result?.errors?.[0]?.message).toMatch(/Cannot return null/);
  });
});

it('an item that rejects before its slice leaves no rejection unhandled', async () => {
  const items = () => [Promise.reject(new Error('failed before')), ...Array.from({ length: 9_000 }, (_, i) => ({ given: i }))];
  const operation = prepared('{ many { given } }', items);
  const { result, unhandled } = await observed(() =>
    runOperation({ ...operation, cost: { ...operation.cost, ceiling: 10_000 } }, contextOf()),
  );
  expect(unhandled).toEqual([]);
  expect(result.errors?.map(({ message, path }) => ({ message, path }))).toEqual([{ message: 'failed before', path: ['many', 0] }]);
});
