import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNullableType,
  isListType,
} from 'graphql';
import type { RequestContext } from '../../context.ts';
import { JsonTexts } from '../../domain/json-texts.ts';
import { untilAborted } from './aborted-fields.ts';
import { budgetOf, chargePoints, chargeValues, requireWithin } from './answer-budget.ts';
import { assignPrices, fieldsOf, priceOf, unspentPoints } from './cost.ts';
import { failInSlice, LOAD_VALUES, reserveSlice, yieldItems, yieldObject } from './list-slices.ts';

/*
 * Wraps the resolvers of a schema, so that each operation stays within its limits while it runs. A field charges its price
 * (`answer-budget.ts`), a list its items, in slices (`list-slices.ts`), and a field that waits rejects when the request is aborted
 * (`aborted-fields.ts`). Both executors call the wrapped resolvers. A value in memory passes through without a promise or a closure,
 * because 50 companies have thousands of fields.
 */

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
    const limit: Limit = isList ? limitList : price > 0 ? yieldObject : asIs;
    const limitAnswer: Limit = field.extensions.costOfAnswer ? afterGivingBack(field, price, limit) : limit;
    field.resolve = (source, args, contextValue, info) => {
      const context = contextValue as RequestContext;
      context.signal.throwIfAborted();
      const budget = budgetOf(context);
      requireWithin(budget);
      if (price > 0) chargePoints(budget, priceOf(field, args));
      const slice = price > 0 ? reserveSlice(LOAD_VALUES, context) : null;
      const value = slice ? resolveAfter(slice, resolve, source, args, context, info) : resolve(source, args, context, info);
      return value instanceof Promise ? limitLater(value, limitAnswer, context, info) : limitAnswer(value, context, info);
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
  untilAborted(value, context.signal).then(
    (answer) => limit(answer, context, info),
    (error) => failInSlice(error, context),
  );

/** Gives back the points of a price that the answer did not cost, before its value is limited. */
const afterGivingBack =
  (field: GraphQLField<unknown, unknown>, price: number, limit: Limit): Limit =>
  (value, context, info) => {
    budgetOf(context).points -= unspentPoints(field, price, value);
    return limit(value, context, info);
  };

const asIs: Limit = (value) => value;

const limitList: Limit = (value, context, info) => {
  if (value instanceof JsonTexts) chargeValues(budgetOf(context), value.length);
  return Array.isArray(value) ? yieldItems(value, context, info) : value;
};
