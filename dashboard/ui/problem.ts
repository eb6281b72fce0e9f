import { QuipuError } from '../../clients/typescript/src/error.ts';
import { sourceNameIn, withSourceNames } from '../../src/domain/source-names.ts';
import type { Texts } from '../texts/texts.ts';

/** Returns a short text about a failure. Other errors of the API have their own sentence. */
export function problemText(error: unknown, texts: Texts): string {
  if (!(error instanceof QuipuError)) return String(error);
  if (error.code === 'NETWORK' || error.code === 'INVALID_ANSWER') return texts('unreachable');
  if (error.code === 'RATE_LIMITED') return texts('rateLimited');
  const { source } = error.details;
  const message = source ? error.message.replace(source.toLowerCase(), sourceNameIn(source, texts.language)) : error.message;
  return withSourceNames(message, texts.language);
}
