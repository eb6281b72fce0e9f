import type { GraphQLField } from 'graphql';
import type { RequestContext } from '../../context.ts';
import type { Answer } from '../../domain/answer.ts';
import type { CompanyKey } from '../../domain/company.ts';
import type { Offered } from '../../loaders/loader.ts';

/**
 * States that the object of a field of Company is made from one answer. The resolver of such a field asks this loader once. Its object
 * depends on the company, the arguments, the language and the answer alone, except for fields that are moments of the request, so that
 * requests may share its text. A resolver may still refuse an answer that no cache keeps.
 */
export interface AnswerSource {
  /** Returns the loader that the resolver asks for this caller; null where the object must not be shared, such as with some arguments. */
  readonly loaderOf: (
    company: CompanyKey,
    args: Readonly<Record<string, unknown>>,
    context: RequestContext,
  ) => Offered<CompanyKey, unknown> | null;
  /** Returns the object within an answer that requests share and that belongs to this answer alone; the answer itself by default. */
  readonly partOf?: ((answer: Answer<unknown>) => object) | undefined;
}

/** The answer source that a field declares (`KeptText` in `src/graphql/company-field.ts`); undefined for other fields. */
export const answerSourceOf = ({ extensions }: GraphQLField<unknown, unknown>): AnswerSource | undefined =>
  extensions.answerSource as AnswerSource | undefined;

/** True for a field that reads the time of the request from the value of the answer (`MomentOfRequest`). */
export const isMoment = ({ extensions }: GraphQLField<unknown, unknown>): boolean => extensions.isMoment === true;
