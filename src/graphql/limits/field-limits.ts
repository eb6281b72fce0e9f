import { defaultFieldResolver, type GraphQLField, type GraphQLResolveInfo, type GraphQLSchema, getNullableType, isListType } from 'graphql';
import type { RequestContext } from '../../context.ts';
import { type AnswerBudget, budgetOf, chargePoints, ENDED, giveOut, turnOf } from './answer-budget.ts';
import { assignPrices, fieldsOf, priceOf } from './cost.ts';

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
    field.resolve = (source, args, contextValue, info) => {
      const context = contextValue as RequestContext;
      context.signal.throwIfAborted();
      const budget = budgetOf(context);
      if (budget.exceeded) throw ENDED;
      if (price > 0) chargePoints(budget, price);
      const turn = price > 0 ? turnOf(budget) : null;
      const value: unknown = turn ? turn.then(() => resolve(source, args, context, info)) : resolve(source, args, context, info);
      if (!(value instanceof Promise)) return isList ? limitList(value, budget, info) : value;
      const settled = Promise.race([value, whenAborted(context.signal)]);
      return isList ? settled.then((list) => limitList(list, budget, info)) : settled;
    };
  }
  return schema;
}

const readFromParent = new WeakSet<object>();

/** True for a field without a resolver of its own: it reads a property of its parent, also where its list is charged. */
export const isReadFromParent = (field: GraphQLField<unknown, unknown>): boolean => readFromParent.has(field);

const limitList = (value: unknown, budget: AnswerBudget, info: GraphQLResolveInfo): unknown =>
  Array.isArray(value) ? giveOut(value, budget, info) : value;

const aborts = new WeakMap<AbortSignal, Promise<never>>();

/** Returns a promise, one for each signal, that rejects with the reason when the signal is aborted. */
function whenAborted(signal: AbortSignal): Promise<never> {
  const pending = aborts.get(signal);
  if (pending) return pending;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => undefined); // avoids an unhandled rejection when no field is pending
  aborts.set(signal, aborted);
  return aborted;
}
