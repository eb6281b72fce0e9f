import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { Extensions } from 'type-graphql';
import { invalidInput } from '../../domain/errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../domain/paging.ts';
import { operationMessages } from '../../messages/operations.ts';
import { LIMITS } from '../limits.ts';
import { introspectionCost } from './introspection-cost.ts';

/** An operation with its coerced variables. */
export interface CostInput {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The maximum cost of an operation in points. */
export interface OperationPoints {
  readonly total: number;
  /** Points of `__schema` and `__type`, which are known exactly and have no resolver that charges them; null if neither is selected. */
  readonly introspection: number | null;
}

/** Assumed length of a list that no argument bounds. */
const DEFAULT_LIST_SIZE = 5;

/**
 * Computes the maximum cost of a valid operation in points before it runs: 1, plus the price of each field multiplied by the sizes of the
 * lists around it. A size is the length of a list argument, the page size or an assumed 5.
 * @throws AppError INVALID_INPUT for a list argument or a page that is too long
 */
function costOf({ schema, document, operation, variables }: CostInput): OperationPoints {
  let introspection: number | null = null;
  const fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
  );
  const spreads = new Map<FragmentDefinitionNode, Map<number, number>>();

  /** @param page page size of the connection above, which is the size of the lists at this level; null without a connection */
  function ofSelections({ selections }: SelectionSetNode, type: GraphQLCompositeType, page: number | null): number {
    return selections
      .map((node) => {
        if (node.kind === Kind.FIELD) return ofField(node, type, page);
        if (node.kind === Kind.INLINE_FRAGMENT)
          return ofSelections(node.selectionSet, node.typeCondition ? typeOf(node.typeCondition.name.value) : type, page);
        const fragment = fragments.get(node.name.value);
        return fragment ? ofFragment(fragment, page) : 0;
      })
      .reduce((sum, cost) => sum + cost, 0);
  }

  /** Returns the cost of a fragment, which is computed once per page size, however often the fragment is spread. */
  function ofFragment(fragment: FragmentDefinitionNode, page: number | null): number {
    const known = spreads.get(fragment) ?? new Map<number, number>();
    spreads.set(fragment, known);
    const cost = known.get(page ?? 0) ?? ofSelections(fragment.selectionSet, typeOf(fragment.typeCondition.name.value), page);
    known.set(page ?? 0, cost);
    return cost;
  }

  function ofField(node: FieldNode, parent: GraphQLCompositeType, page: number | null): number {
    const field = fieldOf(parent, node.name.value);
    if (!field) {
      const points = introspectionCost(node, { schema, document, variables });
      if (points !== null) introspection = (introspection ?? 0) + points;
      return points ?? 0;
    }
    const args = field.args.length > 0 ? getArgumentValues(field, node, variables) : {};
    const listed = longestList(args);
    const first = 'first' in args ? pageOf(args.first) : null;
    const type = getNamedType(field.type);
    const price = priceOf(field, args);
    if (!node.selectionSet || !isCompositeType(type)) return price;
    const items = isListType(getNullableType(field.type)) ? (listed ?? page ?? DEFAULT_LIST_SIZE) : 1;
    return price + items * ofSelections(node.selectionSet, type, first);
  }

  const typeOf = (name: string): GraphQLCompositeType => schema.getType(name) as GraphQLCompositeType;

  const root = schema.getRootType(operation.operation);
  const total = 1 + (root ? ofSelections(operation.selectionSet, root, null) : 0);
  return { total, introspection };
}

/** Maximum number of cached costs of one operation. It has a cost for each combination of sizes in its variables. */
const MAX_KEPT_COSTS = 64;

/**
 * Creates a `costOf` that caches the costs of operations. A cost depends on the variables only through `sizesOf`, except that of
 * introspection.
 */
export function createCostOf(): typeof costOf {
  const costsOf = new WeakMap<OperationDefinitionNode, Map<string, OperationPoints>>();
  return (input) => {
    const costs = costsOf.get(input.operation) ?? new Map<string, OperationPoints>();
    costsOf.set(input.operation, costs);
    const sizes = sizesOf(input.variables);
    const known = costs.get(sizes);
    if (known) return known;
    const points = costOf(input);
    if (points.introspection !== null) return points;
    if (costs.size >= MAX_KEPT_COSTS) costs.clear();
    costs.set(sizes, points);
    return points;
  };
}

/** Returns the lengths of lists and the numbers among coerced variables, and the names of the given variables. */
function sizesOf(variables: CostInput['variables']): string {
  let sizes = '';
  for (const [name, value] of Object.entries(variables)) {
    const size = Array.isArray(value) ? `[${value.length}]` : typeof value === 'number' ? value : value === null ? 'null' : 'given';
    sizes += `${name}:${size} `;
  }
  return sizes;
}

function fieldOf(type: GraphQLCompositeType, name: string): GraphQLField<unknown, unknown> | undefined {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

/** Returns the length of the longest list argument; null without one. */
function longestList(args: Readonly<Record<string, unknown>>): number | null {
  const lists = Object.entries(args).filter((entry): entry is [string, readonly unknown[]] => Array.isArray(entry[1]));
  for (const [name, { length }] of lists) {
    if (length > LIMITS.listItems) throw invalidInput(name, operationMessages.longList({ count: length, max: LIMITS.listItems }));
  }
  return lists.length > 0 ? Math.max(...lists.map(([, { length }]) => length)) : null;
}

/** Returns the page size, the default for null. It is at least 1, because the resolver refuses smaller values. */
function pageOf(value: unknown): number {
  const first = typeof value === 'number' ? value : DEFAULT_PAGE_SIZE;
  if (first > MAX_PAGE_SIZE) throw invalidInput('first', operationMessages.pageSize({ max: MAX_PAGE_SIZE }));
  return Math.max(1, first);
}

/**
 * Sets the price of a field in points if it differs from the default price.
 * @param ofArguments additional points by the name of an argument, if the argument is given
 */
export const Cost = (points: number, ofArguments: Readonly<Record<string, number>> = {}): ReturnType<typeof Extensions> =>
  Extensions({ cost: points, costOfArguments: ofArguments });

/**
 * Sets what a field has cost once its answer is known: at least 1 point, and at most its price, which is charged before it is resolved.
 */
export const CostOfAnswer = <T>(points: (answer: T) => number): ReturnType<typeof Extensions> => Extensions({ costOfAnswer: points });

/** Returns the points of the price of a field that its answer did not cost; 0 for a field without `CostOfAnswer`. */
export function unspentPoints({ extensions }: GraphQLField<unknown, unknown>, price: number, answer: unknown): number {
  const costOf = extensions.costOfAnswer as ((answer: unknown) => number) | undefined;
  return costOf && answer !== null ? price - Math.min(price, Math.max(1, costOf(answer))) : 0;
}

/**
 * Returns the default price of a field: 1 if it reads a source or a table (a resolver with an access rule or of a composite type), 0 if it
 * reads its parent.
 */
function defaultPrice({ extensions, resolve, type }: GraphQLField<unknown, unknown>): number {
  const readsData = resolve !== undefined && (extensions.access !== undefined || isCompositeType(getNamedType(type)));
  return readsData ? 1 : 0;
}

/**
 * Stores the price of every field in its extensions. It must run before resolvers are wrapped, because afterwards every field has a
 * resolver.
 */
export function assignPrices(schema: GraphQLSchema): void {
  for (const field of fieldsOf(schema)) field.extensions = { cost: defaultPrice(field), ...field.extensions };
}

/** Returns the price of a field in points, including its arguments if these are known. */
export const priceOf = ({ extensions }: GraphQLField<unknown, unknown>, args: Readonly<Record<string, unknown>> = {}): number => {
  const price = typeof extensions.cost === 'number' ? extensions.cost : 0;
  if (!extensions.costOfArguments) return price;
  return Object.entries(extensions.costOfArguments).reduce((sum, [name, points]) => (args[name] == null ? sum : sum + points), price);
};

/** Returns the fields of all object types except the introspection types. */
export const fieldsOf = (schema: GraphQLSchema): readonly GraphQLField<unknown, unknown>[] =>
  Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !type.name.startsWith('__') ? Object.values(type.getFields()) : [],
  );
