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
export const strip = (text: string): string =>
  text
    .normalize('NFKC')
    .toUpperCase()
    .trim()
    .replace(/^(?:CNPJ|RUT|NIT)\s*(?:N[O.º°]*)?\s*[:.#]?\s*(?=[0-9A-Z])/, '')
    .replace(/[\s./\-\u2010-\u2015]/g, '');
