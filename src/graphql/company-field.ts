import { Extensions } from 'type-graphql';
import type { RequestContext } from '../context.ts';
import { type Answer, type Awaitable, whenKnown } from '../domain/answer.ts';
import type { CompanyKey } from '../domain/company.ts';
import type { Offered } from '../loaders/loader.ts';
import type { AnswerSource } from './compiled/answer-source.ts';

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

/**
 * Declares that the object of a field is made from one answer, whose text may be kept (`AnswerSource`).
 * @param loaderOf returns the loader that the resolver asks with the same company, arguments and context
 */
export const KeptText = <V>(
  loaderOf: (...given: Parameters<AnswerSource['loaderOf']>) => Offered<CompanyKey, V> | null,
  partOf?: (answer: Answer<V>) => object,
): ReturnType<typeof Extensions> => Extensions({ answerSource: { loaderOf, partOf } });

/** Declares a field that is a time of the request: the property of the answer's value with the same name. */
export const MomentOfRequest = Extensions({ isMoment: true });
