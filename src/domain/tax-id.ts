/** Why a text is not a tax id, as a sentence for the caller. */
export interface IdProblem {
  readonly problem: string;
}

export const malformed = (problem: string): IdProblem => ({ problem });

export const isProblem = (result: string | IdProblem): result is IdProblem => typeof result !== 'string';

/**
 * Returns the text in upper case, without a leading label (`RUT:`, `CNPJ`, `NIT`), punctuation or blanks of any kind.
 * Keeps letters that are part of the id.
 */
export function strip(text: string): string {
  const capitals = text.normalize('NFKC').toUpperCase().trim();
  const bare = squash(capitals);
  // An alphanumeric CNPJ may begin with the letters of a label.
  return /^[0-9A-Z]{12}\d{2}$/.test(bare) ? bare : squash(capitals.replace(LABEL, ''));
}

const LABEL = /^(?:CNPJ|RUT|NIT)\s*(?:N[O.º°]+)?\s*[:.#]?\s*(?=[0-9A-Z])/;

const squash = (text: string): string => text.replace(/[\s.,;:'"#+|~_()/\\\-\u2010-\u2015]/g, '');
