import type { GraphQLSchema } from 'graphql';
import type { RequestContext } from '../../context.ts';
import { assignPrices, fieldsOf, priceOf } from './cost.ts';

/** Context → points that its resolved fields cost. */
const spent = new WeakMap<object, number>();

/** The points that an operation really cost: 1 for itself and the price of every field that was resolved. */
export const spentIn = (context: RequestContext): number => 1 + (spent.get(context) ?? 0);

/**
 * Wraps every resolver: it adds the price of the field to the spent points, and rejects as soon as the context's signal is aborted.
 * Subscription fields are not wrapped, because they outlive a deadline.
 */
export function makeFieldsCancellable(schema: GraphQLSchema): GraphQLSchema {
  assignPrices(schema);
  const subscriptions = new Set(Object.values(schema.getSubscriptionType()?.getFields() ?? {}));
  for (const field of fieldsOf(schema).filter((one) => !subscriptions.has(one))) {
    const { resolve } = field;
    if (!resolve) continue;
    const price = priceOf(field);
    field.resolve = (source, args, contextValue, info) => {
      const context = contextValue as RequestContext;
      context.signal.throwIfAborted();
      if (price > 0) spent.set(context, (spent.get(context) ?? 0) + price);
      const value: unknown = resolve(source, args, context, info);
      return value instanceof Promise ? Promise.race([value, whenAborted(context.signal)]) : value;
    };
  }
  return schema;
}

const aborts = new WeakMap<AbortSignal, Promise<never>>();

/** Returns a promise, one for each signal, that rejects with the reason when the signal is aborted. */
function whenAborted(signal: AbortSignal): Promise<never> {
  const known = aborts.get(signal);
  if (known) return known;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => undefined); // avoids an unhandled rejection when no field is pending
  aborts.set(signal, aborted);
  return aborted;
}
