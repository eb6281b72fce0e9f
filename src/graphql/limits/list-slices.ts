import { type GraphQLResolveInfo, getNamedType, getNullableType, isLeafType, isListType, isNonNullType } from 'graphql';
import type { RequestContext } from '../../context.ts';
import { type RequestSlices, SLICE_VALUES } from '../../scheduling/slices.ts';
import { budgetOf, chargeValues, requirePoints } from './answer-budget.ts';
import { itemCost } from './item-cost.ts';

/*
 * Divides the completion of values in memory into slices, so that one answer does not block the event loop for other requests. A list is
 * charged as a whole before its first item, then its items are given to the executor slice by slice, as promises. A list with fields that
 * are loaded is given at once, because the loads of all its items must share batches. A slice is a number of values (`scheduling/slices.ts`),
 * which `item-cost.ts` computes from the selection.
 */

/** Maximum number of values of a list that is never delayed. It is written in about a tenth of a slice. */
const SHORT_LIST_VALUES = 300;
/** Fixed cost of completing a loaded object, in values. */
const LOADED_VALUES = 10;
/** Cost of calling the resolver of a field that is loaded, in values: 750 such calls, with the promises of each, are a slice. */
export const LOAD_VALUES = SLICE_VALUES / 750;
/** Cost of an error, in values: 200 errors, each of which has a stack and a position in the document, are a slice. */
const ERROR_VALUES = SLICE_VALUES / 200;

/** True while `withoutWaiting` runs. */
let mustNotWait = false;

/**
 * Runs work that is lost if it has to wait: its short lists are yielded at once. Only what it does before it returns is covered, so this
 * does not reach other requests.
 */
export function withoutWaiting<T>(work: () => T): T {
  mustNotWait = true;
  try {
    return work();
  } finally {
    mustNotWait = false;
  }
}

/** Contexts whose operations graphql-js executes. */
const executedByGraphqlJs = new WeakSet<object>();

/**
 * Gives the items of lists to the executor as promises, in every operation of this context. graphql-js (16.15.0, `completeListValue`) needs
 * it: if an item that must not be null throws at once, graphql-js abandons the promises of the items before it, and the first of them that
 * rejects later ends the process. An item that is a promise never throws at once. The compiled executor handles abandoned promises itself.
 */
export function promiseItems(context: RequestContext): void {
  executedByGraphqlJs.add(context);
}

/**
 * Charges the values of a list's items before they are completed. If all their fields are in memory, the list is yielded in slices. If
 * some are loaded, it is yielded at once. Points are charged as the items are loaded, but a list that would exceed the ceiling ends the
 * operation before the first load.
 * @throws GraphQLError COST_TOO_HIGH
 */
export function yieldItems(items: readonly unknown[], context: RequestContext, info: GraphQLResolveInfo): unknown {
  const { slices } = context;
  const budget = budgetOf(context);
  const { values: perItem, points: pointsPerItem, loads } = itemCost(info);
  const values = items.length * perItem;
  chargeValues(budget, values);
  requirePoints(budget, budget.points + items.length * pointsPerItem);
  if (loads || (mustNotWait && values <= SHORT_LIST_VALUES)) return atOnce(items, context, info);
  const work = values + ERROR_VALUES * countErrors(items);
  if (work > SLICE_VALUES) return itemsInSlices(items, slices, Math.max(1, Math.floor((SLICE_VALUES * items.length) / work)));
  const slice = slices.reserve(work);
  if (!slice) return atOnce(items, context, info);
  handleRejections(items);
  return slice.then(() => atOnce(items, context, info));
}

const atOnce = (items: readonly unknown[], context: RequestContext, info: GraphQLResolveInfo): readonly unknown[] =>
  executedByGraphqlJs.has(context) && mayAbandon(items, info) ? items.map((item) => Promise.resolve(item)) : items;

/** True for items that must not be null, unless all of them are leaves in memory. */
function mayAbandon(items: readonly unknown[], { returnType }: GraphQLResolveInfo): boolean {
  const type = getNullableType(returnType);
  if (!isListType(type) || !isNonNullType(type.ofType)) return false;
  return !isLeafType(getNamedType(type)) || items.some((item) => item instanceof Promise);
}

function countErrors(items: readonly unknown[]): number {
  let count = 0;
  for (const item of items) if (item instanceof Error) count += 1;
  return count;
}

/** Reserves a part of the current slice. @returns the slice to wait for; null if the work may start at once, or must not wait */
export function reserveSlice(values: number, { slices }: RequestContext): Promise<void> | null {
  if (!mustNotWait) return slices.reserve(values);
  slices.count(values);
  return null;
}

/** Handles rejections of items that are promises, because they may reject before the executor gets them. */
function handleRejections(items: readonly unknown[]): void {
  for (const item of items) if (item instanceof Promise) item.catch(() => undefined);
}

/** Wraps the items in promises, which settle slice by slice. */
function itemsInSlices(items: readonly unknown[], slices: RequestSlices, perSlice: number): readonly unknown[] {
  handleRejections(items);
  const given: unknown[] = [];
  for (let i = 0; i < items.length; i += perSlice) {
    const slice = slices.append(SLICE_VALUES);
    given.push(...items.slice(i, i + perSlice).map((item) => slice.then(() => item)));
  }
  return given;
}

/** Completes a loaded object in a slice, because the loads of thousands of items settle together. */
export function yieldObject(object: unknown, context: RequestContext, info: GraphQLResolveInfo): unknown {
  const { values, loads } = itemCost(info);
  const slice = loads ? null : reserveSlice(LOADED_VALUES + values, context);
  return slice ? slice.then(() => object) : object;
}

/** Rejects with the error of a field in a slice, because the loads of thousands of fields fail together. */
export async function failInSlice(error: unknown, context: RequestContext): Promise<never> {
  await reserveSlice(ERROR_VALUES, context);
  throw error;
}
