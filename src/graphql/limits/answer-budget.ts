import {
  defaultFieldResolver,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { RequestContext } from '../../context.ts';
import { JsonTexts } from '../../domain/json-texts.ts';
import { type RequestSlices, SLICE_VALUES } from '../../scheduling/slices.ts';
import { limitExceeded } from '../limits.ts';
import { assignPrices, fieldsOf, priceOf } from './cost.ts';

/*
 * Runtime limits of one operation. The cost computed before it runs assumes sizes of lists that no argument bounds, so the real sizes are
 * charged here. `limitFields` wraps the resolvers: a field charges its price in points, a list charges the values of its items before
 * they are completed, and the first one beyond a limit ends the operation with COST_TOO_HIGH. Wrapped fields also reject when the signal
 * of the request aborts, and complete values in memory in slices, so that one answer does not block the event loop for other requests. The
 * cost of an item is computed once per field node of a cached document.
 */

/**
 * Limits and counts of one operation.
 *
 * - Points: the sum of the prices of resolved fields, at most the ceiling of the plan; in the end at least a point for each KiB of the answer, and for VALUES_PER_POINT values.
 * - Values: the number of fields of list items that are in memory, at most VALUES_PER_POINT per point of the ceiling.
 */
export interface AnswerBudget {
  /** Maximum of `points`. */
  ceiling: number;
  points: number;
  values: number;
  /**
   * True while the compiled executor writes a text that it will cache. A short list in it is yielded at once, because texts that waited
   * are not cached.
   */
  isKeeping: boolean;
  /** The error that ended the operation; null while it is within its budget. */
  exceeded: GraphQLError | null;
}

/**
 * Wraps every resolver, and every field with a list. A wrapped field charges its price and the items of its list to the budget of the
 * answer, and rejects as soon as the context's signal is aborted. Subscription fields are not wrapped, because they outlive a deadline.
 */
export function limitFields(schema: GraphQLSchema): GraphQLSchema {
  assignPrices(schema);
  const subscriptions = new Set(Object.values(schema.getSubscriptionType()?.getFields() ?? {}));
  for (const field of fieldsOf(schema).filter((one) => !subscriptions.has(one))) {
    const isList = isListType(getNullableType(field.type));
    if (!field.resolve) readFromParent.add(field);
    if (!field.resolve && !isList) continue;
    const resolve = field.resolve ?? defaultFieldResolver;
    const price = priceOf(field);
    const limit: Limit = isList ? limitList : price > 0 ? completeInSlice : asIs;
    field.resolve = (source, args, contextValue, info) => {
      const context = contextValue as RequestContext;
      context.signal.throwIfAborted();
      const budget = budgetOf(context);
      if (budget.exceeded) throw BUDGET_EXCEEDED;
      if (price > 0) chargePoints(budget, priceOf(field, args));
      const slice = price > 0 ? context.slices.reserve(1) : null;
      const value = slice ? resolveAfter(slice, resolve, source, args, context, info) : resolve(source, args, context, info);
      return value instanceof Promise ? limitLater(value, limit, context, info) : limit(value, context, info);
    };
  }
  return schema;
}

const readFromParent = new WeakSet<object>();

/** True for a field without a resolver of its own. It reads a property of its parent, even if its list is charged. */
export const isReadFromParent = (field: GraphQLField<unknown, unknown>): boolean => readFromParent.has(field);

type Resolve = GraphQLFieldResolver<unknown, RequestContext>;
/** Charges and yields the value of a field. */
type Limit = (value: unknown, context: RequestContext, info: GraphQLResolveInfo) => unknown;

const resolveAfter = (slice: Promise<void>, resolve: Resolve, ...given: Parameters<Resolve>): Promise<unknown> =>
  slice.then(() => resolve(...given));

const limitLater = (value: Promise<unknown>, limit: Limit, context: RequestContext, info: GraphQLResolveInfo): Promise<unknown> =>
  untilAborted(value, context.signal).then((answer) => limit(answer, context, info));

const asIs: Limit = (value) => value;

const limitList: Limit = (value, context, info) => {
  if (value instanceof JsonTexts) chargeValues(budgetOf(context), value.length);
  return Array.isArray(value) ? yieldItems(value, context, info) : value;
};

/** Completes a loaded object in a slice, because the loads of thousands of items settle together. */
const completeInSlice: Limit = (answer, { slices }, info) => {
  const { values, loads } = itemOf(info);
  const slice = loads ? null : slices.reserve(LOADED_VALUES + values);
  return slice ? slice.then(() => answer) : answer;
};

/** Pending fields by the signal that aborts them. */
const waitingFields = new WeakMap<AbortSignal, Set<(reason: unknown) => void>>();

/** Settles like `value`, or rejects with the reason of the signal if that is aborted first. It keeps no reference to a settled field. */
function untilAborted(value: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const waiting = waitingFieldsOf(signal);
  return new Promise((resolve, reject) => {
    waiting.add(reject);
    value.then(
      (answer) => {
        waiting.delete(reject);
        resolve(answer);
      },
      (error) => {
        waiting.delete(reject);
        reject(error);
      },
    );
  });
}

function waitingFieldsOf(signal: AbortSignal): Set<(reason: unknown) => void> {
  const known = waitingFields.get(signal);
  if (known) return known;
  const waiting = new Set<(reason: unknown) => void>();
  waitingFields.set(signal, waiting);
  const rejectAll = () => {
    for (const reject of waiting) reject(signal.reason);
  };
  signal.addEventListener('abort', rejectAll, { once: true });
  return waiting;
}

const VALUES_PER_POINT = 25;
/** Maximum number of values in a list of a cached text. Such a list is written in about a tenth of a slice. */
const MAX_KEPT_VALUES = 300;
/** Fixed cost of completing a loaded object, in values. */
const LOADED_VALUES = 10;

const budgets = new WeakMap<object, AnswerBudget>();

/** Returns the budget of the operation that runs in a context. Its ceiling is infinite until the executor sets it. */
export function budgetOf(context: RequestContext): AnswerBudget {
  const known = budgets.get(context);
  if (known) return known;
  const budget: AnswerBudget = { ceiling: Number.POSITIVE_INFINITY, points: 0, values: 0, isKeeping: false, exceeded: null };
  budgets.set(context, budget);
  return budget;
}

/** Number of bytes of an answer per point of its cost. An ordinary answer has fewer, because its fields cost more. */
const BYTES_PER_POINT = 1_024;

/**
 * Raises the points of an operation to those of the length and the values of its answer, if its fields cost less.
 * @param length characters of the text of its data
 */
export function chargeText(budget: AnswerBudget, length: number): void {
  budget.points = Math.max(budget.points, Math.floor(length / BYTES_PER_POINT), Math.floor(budget.values / VALUES_PER_POINT));
  if (budget.points > budget.ceiling) budget.exceeded ??= limitExceeded('COST_TOO_HIGH', 'points of cost', budget.points, budget.ceiling);
}

/** Charges the price of a field. @throws GraphQLError COST_TOO_HIGH */
function chargePoints(budget: AnswerBudget, points: number): void {
  budget.points += points;
  if (budget.points > budget.ceiling) exceed(budget, 'points of cost', budget.points, budget.ceiling);
}

/** Charges values of list items. @throws GraphQLError COST_TOO_HIGH */
export function chargeValues(budget: AnswerBudget, values: number): void {
  budget.values += values;
  const limit = budget.ceiling * VALUES_PER_POINT;
  if (budget.values > limit) exceed(budget, 'values in its answer', budget.values, limit);
}

/**
 * Charges the values of a list's items before they are completed. If all their fields are in memory, the list is yielded in slices. If
 * some are loaded, it is yielded at once, so that the loads of all items share batches. Points are charged as the items are loaded, but a
 * list that would exceed the ceiling ends the operation before the first load.
 * @throws GraphQLError COST_TOO_HIGH
 */
function yieldItems(items: readonly unknown[], context: RequestContext, info: GraphQLResolveInfo): unknown {
  const { slices } = context;
  const budget = budgetOf(context);
  const { values: perItem, points: pointsPerItem, loads } = itemOf(info);
  const values = items.length * perItem;
  chargeValues(budget, values);
  const points = budget.points + items.length * pointsPerItem;
  if (points > budget.ceiling) exceed(budget, 'points of cost', points, budget.ceiling);
  if (loads || (budget.isKeeping && values <= MAX_KEPT_VALUES)) return items;
  if (values > SLICE_VALUES) return itemsInSlices(items, slices, Math.max(1, Math.floor(SLICE_VALUES / perItem)));
  const slice = slices.reserve(values);
  return slice ? slice.then(() => items) : items;
}

/** Wraps the items in promises, which settle slice by slice. */
function itemsInSlices(items: readonly unknown[], slices: RequestSlices, perSlice: number): readonly unknown[] {
  const given: unknown[] = [];
  for (let i = 0; i < items.length; i += perSlice) {
    const slice = slices.append(SLICE_VALUES);
    given.push(...items.slice(i, i + perSlice).map((item) => slice.then(() => item)));
  }
  return given;
}

function exceed(budget: AnswerBudget, what: string, count: number, limit: number): never {
  budget.exceeded ??= limitExceeded('COST_TOO_HIGH', what, count, limit);
  throw BUDGET_EXCEEDED;
}

/**
 * Error that every field of an operation throws after the budget is exceeded. It is one error with a path, so that the executor does not
 * locate it thousands of times.
 */
const BUDGET_EXCEEDED = new GraphQLError('The operation ended with COST_TOO_HIGH.', { path: [] });

/** Cost of completing one item of a list, without the items of lists below. */
interface ItemCost {
  /** Number of its fields that are in memory. */
  readonly values: number;
  /** Price of its fields that are loaded. */
  readonly points: number;
  /** True if any field below is loaded, including fields in lists below. */
  readonly loads: boolean;
}

const known = new WeakMap<FieldNode, ItemCost>();

/** Returns the cost of an item. The selections of one response key may be split over several nodes, which are executed as one. */
function itemOf(info: GraphQLResolveInfo): ItemCost {
  const [node, ...others] = info.fieldNodes;
  if (!node) return NOTHING;
  const cost = costOfNode(node, info);
  return others.length === 0 ? cost : others.map((one) => costOfNode(one, info)).reduce(sum, cost);
}

function costOfNode(node: FieldNode, info: GraphQLResolveInfo): ItemCost {
  const cost = known.get(node) ?? (node.selectionSet ? costOfItem(node.selectionSet, getNamedType(info.returnType), info) : IN_MEMORY);
  known.set(node, cost);
  return cost;
}

function costOfItem({ selections }: SelectionSetNode, type: GraphQLNamedType, info: GraphQLResolveInfo): ItemCost {
  return selections.map((node) => costOfSelection(node, type, info)).reduce(sum, IN_MEMORY);
}

function costOfSelection(node: SelectionSetNode['selections'][number], type: GraphQLNamedType, info: GraphQLResolveInfo): ItemCost {
  if (node.kind === Kind.FRAGMENT_SPREAD) {
    const fragment = info.fragments[node.name.value];
    return fragment ? costOfItem(fragment.selectionSet, typeOf(fragment.typeCondition.name.value, type, info), info) : NOTHING;
  }
  if (node.kind === Kind.INLINE_FRAGMENT)
    return costOfItem(node.selectionSet, node.typeCondition ? typeOf(node.typeCondition.name.value, type, info) : type, info);
  const field = isObjectType(type) ? type.getFields()[node.name.value] : undefined;
  if (!field) return IN_MEMORY;
  if (!node.selectionSet || priceOf(field) > 0) return loaded(priceOf(field));
  const below = costOfItem(node.selectionSet, getNamedType(field.type), info);
  return isListType(getNullableType(field.type)) ? { ...IN_MEMORY, loads: below.loads } : below;
}

const typeOf = (name: string, fallback: GraphQLNamedType, { schema }: GraphQLResolveInfo): GraphQLNamedType =>
  schema.getType(name) ?? fallback;

const NOTHING: ItemCost = { values: 0, points: 0, loads: false };
const IN_MEMORY: ItemCost = { values: 1, points: 0, loads: false };

const loaded = (points: number): ItemCost => ({ values: 1, points, loads: points > 0 });

const sum = (one: ItemCost, other: ItemCost): ItemCost => ({
  values: one.values + other.values,
  points: one.points + other.points,
  loads: one.loads || other.loads,
});
