import type { QuipuError } from '../../clients/typescript/src/error.ts';
import { sourceNameIn, withSourceNames } from '../../src/domain/source-names.ts';
import type { Texts } from '../texts/texts.ts';
import { ownProblemText } from './own-problem.ts';

/** Returns a short text about a failure. Other errors of the API have their own sentence. */
export function problemText(error: unknown, texts: Texts): string {
  return ownProblemText(error, texts) ?? apiProblemText(error as QuipuError, texts);
}

function apiProblemText({ message: sentence, details: { source } }: QuipuError, texts: Texts): string {
  const message = source ? sentence.replace(source.toLowerCase(), sourceNameIn(source, texts.language)) : sentence;
  return withSourceNames(message, texts.language);
}
