import type { RequestContext } from '../context.ts';
import { type Answer, type Awaitable, whenKnown } from '../domain/answer.ts';
import type { CompanyKey } from '../domain/company.ts';
import type { Offered } from '../loaders/loader.ts';

/** The value of a field, or the promise of it: what a resolver returns. */
export type FieldValue<T> = Awaitable<T>;

/**
 * Resolves a field of Company: asks a loader for the answer about the company and converts it to the object of the field. An answer in memory
 * is converted at once, without a promise. The field has the errors of `ctx.ask` and of `toObject`.
 */
export const companyField = <K extends CompanyKey, V, T>(
  loader: Offered<K, V>,
  company: K,
  ctx: RequestContext,
  toObject: (answer: Answer<V>) => T,
): FieldValue<T> => whenKnown(ctx.ask(loader, company), toObject);
