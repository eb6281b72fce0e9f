import { QuipuError } from '../../clients/typescript/src/error.ts';
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

/** Returns the text of a failure that the page finds itself; null for an error of the API, which has its own sentence. */
export function ownProblemText(error: unknown, texts: Texts): string | null {
  if (!(error instanceof QuipuError)) return texts('pageError', { message: String(error) });
  const own = OWN[error.code];
  return own ? texts(own, { message: error.message }) : null;
}
