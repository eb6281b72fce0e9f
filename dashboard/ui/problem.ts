import { QuipuError } from '../../clients/typescript/src/error.ts';
import type { Texts } from '../texts/texts.ts';

/** Returns a short text about a failure. Other errors of the API have their own sentence. */
export function problemText(error: unknown, texts: Texts): string {
  if (!(error instanceof QuipuError)) return String(error);
  if (error.code === 'NETWORK' || error.code === 'INVALID_ANSWER') return texts('unreachable');
  return error.code === 'RATE_LIMITED' ? texts('rateLimited') : error.message;
}
