/** Why a text is not a tax id, as a sentence for the caller. */
export interface IdProblem {
  readonly problem: string;
}

export const malformed = (problem: string): IdProblem => ({ problem });

/** Maximum length of a text that is read as a tax id, blanks and a label included. */
export const MAX_TAX_ID_TEXT = 64;

export const TAX_ID_TOO_LONG = malformed(
  `A tax id is shorter than this: at most ${MAX_TAX_ID_TEXT} characters, with its label and punctuation.`,
);

/** Returns the reader with longer texts refused before anything looks at them. Every reader of tax ids is created by it. */
export const boundedReader =
  (read: (text: string) => string | IdProblem): ((text: string) => string | IdProblem) =>
  (text) =>
    text.length > MAX_TAX_ID_TEXT ? TAX_ID_TOO_LONG : read(text);

export const isProblem = (result: string | IdProblem): result is IdProblem => typeof result !== 'string';

/**
 * Returns the text in upper case, without a leading label (`RUT:`, `CNPJ`, `NIT`), punctuation or blanks of any kind.
 * Keeps letters that are part of the id.
 */
export function strip(text: string): string {
  const capitals = text.normalize('NFKC').toUpperCase().trim();
  const bare = squash(capitals);
  // An alphanumeric CNPJ may begin with the letters of a label.
  return /^[0-9A-Z]{12}\d{2}$/.test(bare) ? bare : squash(capitals.replace(/\s+/g, ' ').replace(LABEL, ''));
}

const LABEL = /^(?:CNPJ|RUT|NIT) ?(?:N[O.º°]{1,4})? ?[:.#]? ?(?=[0-9A-Z])/;

const squash = (text: string): string => text.replace(/[\s.,;:'"#+|~_()/\\\-\u2010-\u2015]/g, '');
