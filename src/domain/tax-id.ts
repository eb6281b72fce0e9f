/** Why a text is no tax id; a sentence for the person who typed it. */
export interface IdProblem {
  readonly problem: string;
}

export const malformed = (problem: string): IdProblem => ({ problem });

export const isProblem = (result: string | IdProblem): result is IdProblem => typeof result !== 'string';

/**
 * Upper case, without a label in front (`RUT:`, `CNPJ`, `NIT`), punctuation or blanks of any kind.
 * Letters that are part of the id stay.
 */
export function strip(text: string): string {
  const capitals = text.normalize('NFKC').toUpperCase().trim();
  const bare = squash(capitals);
  // A CNPJ may itself begin with these letters.
  return /^[0-9A-Z]{12}\d{2}$/.test(bare) ? bare : squash(capitals.replace(LABEL, ''));
}

const LABEL = /^(?:CNPJ|RUT|NIT)\s*(?:N[O.º°]+)?\s*[:.#]?\s*(?=[0-9A-Z])/;

const squash = (text: string): string => text.replace(/[\s.,;:'"#+|~_()/\\\-\u2010-\u2015]/g, '');
