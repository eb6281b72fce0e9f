import type { GraphQLSchema } from 'graphql';
import type { RequestContext } from '../../context.ts';
import { fieldsOf, priceOf, statePrices } from './price.ts';

/** Context → points that its fields came to. */
const spent = new WeakMap<object, number>();

/** Points that were really asked for in a context, that of the operation itself included. */
export const spentIn = (context: RequestContext): number => 1 + (spent.get(context) ?? 0);

/**
 * Has every field that asks something add its price to what its context came to, and end when the context's signal says so: what comes
 * later comes too late. Fields of subscriptions are left alone, since they last.
 */
export function guardFields(schema: GraphQLSchema): GraphQLSchema {
  statePrices(schema);
  const lasting = new Set(Object.values(schema.getSubscriptionType()?.getFields() ?? {}));
  for (const field of fieldsOf(schema).filter((one) => !lasting.has(one))) {
    const { resolve } = field;
    if (!resolve) continue;
    const price = priceOf(field);
    field.resolve = (source, args, contextValue, info) => {
      const context = contextValue as RequestContext;
      context.signal.throwIfAborted();
      if (price > 0) spent.set(context, (spent.get(context) ?? 0) + price);
      const value: unknown = resolve(source, args, context, info);
      return value instanceof Promise ? Promise.race([value, endOf(context.signal)]) : value;
    };
  }
  return schema;
}

const ends = new WeakMap<AbortSignal, Promise<never>>();

/** Rejects when the signal is aborted, with its reason. */
function endOf(signal: AbortSignal): Promise<never> {
  const known = ends.get(signal);
  if (known) return known;
  const end = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  end.catch(() => undefined); // nobody may be waiting any more
  ends.set(signal, end);
  return end;
}
