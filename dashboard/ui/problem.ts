import { QuipuError } from '../../clients/typescript/src/error.ts';
import { sourceNameIn, withSourceNames } from '../../src/domain/source-names.ts';
import type { TextKey, Texts } from '../texts/texts.ts';

/** Texts of the failures that the page finds itself, by their codes. Their own sentences are English. */
const OWN: Readonly<Record<string, TextKey>> = {
  NETWORK: 'unreachable',
  INVALID_ANSWER: 'unreachable',
  RATE_LIMITED: 'rateLimited',
  ANSWER_TOO_LARGE: 'tooLargeAnswer',
  EMPTY_ANSWER: 'emptyAnswer',
  PAGE_ERROR: 'pageError',
  UNREADABLE_FILE: 'unreadableFile',
};

/** Returns a short text about a failure. Other errors of the API have their own sentence. */
export function problemText(error: unknown, texts: Texts): string {
  if (!(error instanceof QuipuError)) return texts('pageError', { message: String(error) });
  const own = OWN[error.code];
  if (own) return texts(own, { message: error.message });
  const { source } = error.details;
  const message = source ? error.message.replace(source.toLowerCase(), sourceNameIn(source, texts.language)) : error.message;
  return withSourceNames(message, texts.language);
}
