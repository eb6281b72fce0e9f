import DataLoader from 'dataloader';
import { buildSchema, execute as executeByGraphqlJs, type GraphQLObjectType, parse } from 'graphql';
import { expect, it } from 'vitest';
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

/** A schema of lists in a list, whose items have two fields that are loaded, and what its last request did. */
function world() {
  const schema = buildSchema(
    'type Query { lists: [List] } type List { items: [Item] } type Item { a: Loaded b: Loaded } type Loaded { x: Int }',
  );
  const done = { batches: [] as number[], resolvedPerSlice: [0] };
  const fieldsOf = (name: string) => (schema.getType(name) as GraphQLObjectType).getFields();
  const slices = new ObservedSlices(() => done.resolvedPerSlice.push(0));
  const loader = new DataLoader<number, object>(
    async (keys) => {
      done.batches.push(keys.length);
      return keys.map((x) => ({ x }));
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
        done.resolvedPerSlice.push((done.resolvedPerSlice.pop() ?? 0) + 1);
        return loader.load(sign * (x + 1));
      },
    });
  const contextValue = { signal: new AbortController().signal, slices } as unknown as RequestContext;
  return { schema: limitFields(schema), contextValue, done };
}

it.each(['the compiled executor', 'graphql-js'])(
  'resolves thousands of loaded fields with %s in slices of at most 750, and loads them in one batch',
  async (executor) => {
    const { schema, contextValue, done } = world();
    const document = parse('{ lists { items { a { x } b { x } } } }');
    const compiled = createCompiledExecutor(schema, { memory: createCacheMemory() });
    const result = await (executor === 'graphql-js'
      ? executeByGraphqlJs({ schema, document, contextValue })
      : compiled({ document, coercedVariables: {} }, contextValue));
    const data = JSON.parse(executor === 'graphql-js' ? JSON.stringify(result?.data) : String(result?.data));
    expect(data.lists[1].items[2]).toEqual({ a: { x: 63 }, b: { x: -63 } });
    expect(done.batches).toEqual([FIELDS]);
    expect(Math.max(...done.resolvedPerSlice)).toBeLessThanOrEqual(750);
  },
);
