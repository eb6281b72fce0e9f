import DataLoader from 'dataloader';
import { buildSchema, execute as executeByGraphqlJs, type GraphQLObjectType, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createCacheMemory } from '../../src/cache/memory.ts';
import type { RequestContext } from '../../src/context.ts';
import { createCompiledExecutor } from '../../src/graphql/compiled/executor.ts';
import { limitFields } from '../../src/graphql/limits/limit-fields.ts';
import { afterSlices, RequestSlices } from '../../src/scheduling/slices.ts';

const LISTS = 40;
const ITEMS = 60;
const FIELDS = LISTS * ITEMS * 2;

/** Slices that tell when they begin. */
class ObservedSlices extends RequestSlices {
  readonly #onSlice: () => void;

  constructor(onSlice: () => void) {
    super();
    this.#onSlice = onSlice;
  }

  override append(values: number): Promise<void> {
    const slice = super.append(values);
    void slice.then(this.#onSlice);
    return slice;
  }
}

/**
 * A schema of lists in a list, whose items have two fields that are loaded, and what its last request did.
 * @param error failure of every load
 */
function world({ error }: { readonly error?: Error } = {}) {
  const schema = buildSchema(
    'type Query { lists: [List] } type List { items: [Item] } type Item { a: Loaded b: Loaded } type Loaded { x: Int }',
  );
  const done = { batches: [] as number[], resolvedPerSlice: [0], failedPerSlice: [0] };
  const countIn = (counts: number[]) => counts.push((counts.pop() ?? 0) + 1);
  // An executor reads the nodes of an error once, when it locates it.
  if (error) Object.defineProperty(error, 'nodes', { get: () => void countIn(done.failedPerSlice) });
  const fieldsOf = (name: string) => (schema.getType(name) as GraphQLObjectType).getFields();
  const slices = new ObservedSlices(() => {
    done.resolvedPerSlice.push(0);
    done.failedPerSlice.push(0);
  });
  const loader = new DataLoader<number, object>(
    async (keys) => {
      done.batches.push(keys.length);
      return keys.map((x) => error ?? { x });
    },
    { batchScheduleFn: afterSlices(slices) },
  );
  Object.assign(fieldsOf('Query').lists ?? {}, {
    resolve: () =>
      Array.from({ length: LISTS }, (_, list) => ({ items: Array.from({ length: ITEMS }, (_, i) => ({ x: list * ITEMS + i })) })),
  });
  for (const [name, sign] of [
    ['a', 1],
    ['b', -1],
  ] as const)
    Object.assign(fieldsOf('Item')[name] ?? {}, {
      extensions: { cost: 1 },
      resolve: ({ x }: { x: number }) => {
        countIn(done.resolvedPerSlice);
        return loader.load(sign * (x + 1));
      },
    });
  const contextValue = { signal: new AbortController().signal, slices } as unknown as RequestContext;
  return { schema: limitFields(schema), contextValue, done };
}

const EXECUTORS = ['the compiled executor', 'graphql-js'] as const;

async function execute(executor: (typeof EXECUTORS)[number], { schema, contextValue }: ReturnType<typeof world>) {
  const document = parse('{ lists { items { a { x } b { x } } } }');
  const compiled = createCompiledExecutor(schema, { memory: createCacheMemory() });
  const result = await (executor === 'graphql-js'
    ? executeByGraphqlJs({ schema, document, contextValue })
    : compiled({ document, coercedVariables: {} }, contextValue));
  return { ...result, data: JSON.parse(executor === 'graphql-js' ? JSON.stringify(result?.data) : String(result?.data)) };
}

describe.each(EXECUTORS)('thousands of loaded fields, executed by %s,', (executor) => {
  it('are resolved in slices of at most 750, and loaded in one batch', async () => {
    const ours = world();
    const { data } = await execute(executor, ours);
    expect(data.lists[1].items[2]).toEqual({ a: { x: 63 }, b: { x: -63 } });
    expect(ours.done.batches).toEqual([FIELDS]);
    expect(Math.max(...ours.done.resolvedPerSlice)).toBeLessThanOrEqual(750);
  });

  it('GQ-05 fail in slices of at most 200', async () => {
    const ours = world({ error: new Error('failed') });
    const { data, errors } = await execute(executor, ours);
    expect(data.lists[1].items[2]).toEqual({ a: null, b: null });
    expect(errors).toHaveLength(FIELDS);
    expect(ours.done.failedPerSlice.reduce((sum, count) => sum + count)).toBe(FIELDS);
    expect(Math.max(...ours.done.failedPerSlice)).toBeLessThanOrEqual(200);
  });
});
