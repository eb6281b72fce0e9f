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
import { TURN_VALUES, type Turns } from '../../scheduling/slices.ts';
import { limitExceeded } from '../limits.ts';
import { assignPrices, fieldsOf, priceOf } from './cost.ts';

/**
 * What one operation may give out while it resolves. The cost computed before it runs assumes sizes of lists that no argument bounds,
 * so the real sizes are counted here, as lists are given out and before their items are completed.
 *
 * - Points: the price of each resolved field. At most the ceiling of the plan. After the operation, at least a point for each KiB of its answer.
 * - Values: the fields of list items that lie in memory. VALUES_PER_POINT of them per point of the ceiling.
 *
 * The first list or field beyond either limit ends the operation with COST_TOO_HIGH. Work in memory is done in the turns of the request.
 */
export interface AnswerBudget {
  /** In points. */
  ceiling: number;
  points: number;
  values: number;
  /** True while the compiled executor writes a text that it will keep: a short list in it is given out at once, since no text is kept that waited. */
  isKeeping: boolean;
  /** The error that ended the operation; null while it is within its budget. */
  exceeded: GraphQLError | null;
}

/**
 * Wraps every resolver, and every field with a list: it charges the price of the field and the items of its list to the budget of the
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
    const limit: Limit = isList ? limitList : price > 0 ? inTurn : asIs;
    field.resolve = (source, args, contextValue, info) => {
      const context = contextValue as RequestContext;
      context.signal.throwIfAborted();
      const budget = budgetOf(context);
      if (budget.exceeded) throw ENDED;
      if (price > 0) chargePoints(budget, priceOf(field, args));
      const turn = price > 0 ? context.turns.take(1) : null;
      const value = turn ? resolveAfter(turn, resolve, source, args, context, info) : resolve(source, args, context, info);
      return value instanceof Promise ? limitLater(value, limit, context, info) : limit(value, context, info);
    };
  }
  return schema;
}

const readFromParent = new WeakSet<object>();

/** True for a field without a resolver of its own: it reads a property of its parent, also where its list is charged. */
export const isReadFromParent = (field: GraphQLField<unknown, unknown>): boolean => readFromParent.has(field);

type Resolve = GraphQLFieldResolver<unknown, RequestContext>;
/** Gives out what a field resolved to. */
type Limit = (value: unknown, context: RequestContext, info: GraphQLResolveInfo) => unknown;

const resolveAfter = (turn: Promise<void>, resolve: Resolve, ...given: Parameters<Resolve>): Promise<unknown> =>
  turn.then(() => resolve(...given));

const limitLater = (value: Promise<unknown>, limit: Limit, context: RequestContext, info: GraphQLResolveInfo): Promise<unknown> =>
  untilAborted(value, context.signal).then((answer) => limit(answer, context, info));

const asIs: Limit = (value) => value;

const limitList: Limit = (value, context, info) => (Array.isArray(value) ? giveOut(value, context, info) : value);

/** Completes a loaded object in a turn: the loads of thousands of items settle together. */
const inTurn: Limit = (answer, { turns }, info) => {
  const { values, loads } = itemOf(info);
  const turn = loads ? null : turns.take(LOADED_VALUES + values);
  return turn ? turn.then(() => answer) : answer;
};

/** The fields that wait, by the signal that ends their wait. */
const waitingFields = new WeakMap<AbortSignal, Set<(reason: unknown) => void>>();

/** Settles as `value` does, or rejects with the reason of the signal when that is aborted before. Keeps nothing of a field that has settled. */
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
/** Values of the longest list of a kept text: it is written once, in about a tenth of a turn. */
const MAX_KEPT_VALUES = 300;
/** What completing a loaded object takes beside its values: promises, and the start of its text. In values. */
const LOADED_VALUES = 10;

const budgets = new WeakMap<object, AnswerBudget>();

/** The budget of the operation that runs in a context. Its ceiling is infinite until the executor sets it. */
export function budgetOf(context: RequestContext): AnswerBudget {
  const known = budgets.get(context);
  if (known) return known;
  const budget: AnswerBudget = { ceiling: Number.POSITIVE_INFINITY, points: 0, values: 0, isKeeping: false, exceeded: null };
  budgets.set(context, budget);
  return budget;
}

/** Bytes of an answer that a point of its cost pays for. An ordinary answer has fewer: the prices of its fields cost more. */
const BYTES_PER_POINT = 1_024;

/** Raises the points of an operation to those of its answer, where its fields cost less than its text. @param length characters of the text of its data */
export function chargeText(budget: AnswerBudget, length: number): void {
  budget.points = Math.max(budget.points, Math.floor(length / BYTES_PER_POINT));
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
 * Charges the values of a list's items before they are completed. Where their fields all lie in memory, the list is given out in turns;
 * where some are loaded, it is given out at once, so that the loads of all items share their batches. Their points are charged as they
 * are loaded, but a list that cannot stay within the ceiling ends the operation before the first load.
 * @throws GraphQLError COST_TOO_HIGH
 */
function giveOut(items: readonly unknown[], context: RequestContext, info: GraphQLResolveInfo): unknown {
  const { turns } = context;
  const budget = budgetOf(context);
  const { values: perItem, points: pointsPerItem, loads } = itemOf(info);
  const values = items.length * perItem;
  chargeValues(budget, values);
  const points = budget.points + items.length * pointsPerItem;
  if (points > budget.ceiling) exceed(budget, 'points of cost', points, budget.ceiling);
  if (loads || (budget.isKeeping && values <= MAX_KEPT_VALUES)) return items;
  if (values > TURN_VALUES) return inTurns(items, turns, Math.max(1, Math.floor(TURN_VALUES / perItem)));
  const turn = turns.take(values);
  return turn ? turn.then(() => items) : items;
}

/** Every item is a promise, which settles in its turn. */
function inTurns(items: readonly unknown[], turns: Turns, perTurn: number): readonly unknown[] {
  const given: unknown[] = [];
  for (let i = 0; i < items.length; i += perTurn) {
    const turn = turns.add(TURN_VALUES);
    given.push(...items.slice(i, i + perTurn).map((item) => turn.then(() => item)));
  }
  return given;
}

function exceed(budget: AnswerBudget, what: string, count: number, limit: number): never {
  budget.exceeded ??= limitExceeded('COST_TOO_HIGH', what, count, limit);
  throw ENDED;
}

/** Thrown by every field of an operation that has ended. One error with a path, which the executor need not locate thousands of times. */
const ENDED = new GraphQLError('The operation ended with COST_TOO_HIGH.', { path: [] });

/** What completing one item of a list costs, down to the next list. */
interface ItemCost {
  /** Its fields that lie in memory. */
  readonly values: number;
  /** Price of its fields that are loaded. */
  readonly points: number;
  /** Whether any field below is loaded, also in lists below. */
  readonly loads: boolean;
}

const known = new WeakMap<FieldNode, ItemCost>();

/** The selections of one response key may be split over several nodes, which are executed as one. */
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
