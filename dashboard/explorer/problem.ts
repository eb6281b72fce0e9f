import { QuipuError } from '../../clients/typescript/src/error.ts';
import type { Texts } from '../texts/texts.ts';
import { ownProblemText } from '../ui/own-problem.ts';

/** An input of a person that cannot be read. The errors of the parsers have English sentences only. */
export class WrongInput extends Error {
  readonly input: 'variables' | 'operation';
  /** Place in the operation; absent if it is not known. */
  readonly place: { readonly line: number; readonly column: number } | undefined;

  constructor(input: 'variables' | 'operation', place?: { readonly line: number; readonly column: number }) {
    super(`The ${input} cannot be read.`);
    this.input = input;
    this.place = place;
  }
}

/** Reads the variables. @throws WrongInput for anything but a JSON object */
export function readVariables(text: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(text || '{}');
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Readonly<Record<string, unknown>>;
  } catch {
    // A text that is no JSON has the same error as other JSON than an object.
  }
  throw new WrongInput('variables');
}

/** Returns the sentence about an operation that has no answer, in the language of the page. */
export function explorerProblem(error: unknown, texts: Texts): string {
  if (error instanceof WrongInput) {
    if (error.input === 'variables') return texts('explorer.wrongVariables');
    return error.place ? texts('explorer.wrongAt', { ...error.place }) : texts('explorer.wrongOperation');
  }
  const own = ownProblemText(error, texts);
  if (own !== null || !(error instanceof QuipuError)) return own ?? '';
  const sentences = error.errors.map(({ message }) => message).join(' ');
  return sentences === '' ? error.message : sentences;
}
