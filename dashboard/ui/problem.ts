import type { QuipuError } from '../../clients/typescript/src/error.ts';
import { moduleNameIn } from '../../src/messages/module-names.ts';
import { sourceNameIn, withSourceNames } from '../../src/messages/source-names.ts';
import type { Texts } from '../texts/texts.ts';
import { ownProblemText } from './own-problem.ts';

/** Returns a short text about a failure. Other errors of the API have their own sentence. */
export function problemText(error: unknown, texts: Texts): string {
  return ownProblemText(error, texts) ?? apiProblemText(error as QuipuError, texts);
}

/** Returns the sentence of an error of the API. An English one has the codes of sources, lists and modules, which get their names. */
function apiProblemText({ message, details: { source, module } }: QuipuError, { language }: Texts): string {
  if (language !== 'en') return message;
  const withSource = source ? message.replace(source.toLowerCase(), sourceNameIn(source, language)) : message;
  const withModule = module ? withSource.replace(codeAfterModule(module), moduleNameIn(module, language)) : withSource;
  return withSourceNames(withModule, language);
}

/** Matches the code of a module after the word: `Module labor is not enabled`. */
const codeAfterModule = (code: string): RegExp => new RegExp(`(?<=\\bmodule )${code}\\b`, 'i');
