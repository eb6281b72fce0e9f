import { QuipuError } from '../../clients/typescript/src/error.ts';
import type { Texts } from '../texts/texts.ts';

/** What went wrong, in a few words. Other errors of the API have a sentence of their own. */
export function problemText(error: unknown, texts: Texts): string {
  if (!(error instanceof QuipuError)) return String(error);
  if (error.code === 'NETWORK' || error.code === 'INVALID_ANSWER') return texts('unreachable');
  return error.code === 'RATE_LIMITED' ? texts('rateLimited') : error.message;
}
