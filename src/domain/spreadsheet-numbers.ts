/* Forms in which spreadsheets and programs write the number of an id: `1,23E+13`, `31000001000160.0`, `="31000001000160"`. */

/** Converts a text to ASCII letters and digits, without blanks and without the signs by which spreadsheets mark a text: `="…"`, `'…`. */
export const unwrapped = (text: string): string => text.normalize('NFKC').replace(/[\s\p{Cf}=`´'"\u2018-\u201d]/gu, '');

/** Matches `1,23E+13`, a number in scientific notation. Without punctuation it may have the form of a CNPJ with a letter. */
const SCIENTIFIC = /^(\d)(?:[.,](\d{1,64}))?E([+-]?\d{1,2})$/i;

/** A number in scientific notation: its digits without the separator, of which one stands before it, and its exponent. */
interface Scientific {
  readonly digits: string;
  readonly exponent: number;
  /** Number of digits that the number has and that are not printed; below 1 for none. */
  readonly omitted: number;
}

function scientific(text: string): Scientific | null {
  const [, first, decimals = '', power] = SCIENTIFIC.exec(unwrapped(text)) ?? [];
  if (first === undefined) return null;
  const exponent = Number(power);
  return { digits: first + decimals, exponent, omitted: exponent - decimals.length };
}

/** True for a number in scientific notation. */
export const isScientific = (text: string): boolean => scientific(text) !== null;

/** True for a number in scientific notation that lacks digits: a spreadsheet has kept only the first ones, or the others are zeros. */
export function isRounded(text: string): boolean {
  const number = scientific(text);
  return number !== null && (number.exponent < 0 || number.omitted > 0);
}

/**
 * Maximum number of final zeros that a number in scientific notation may omit. With more, it has been rounded. Only a CNPJ may omit some,
 * because a rounded NIT has no check digit that would show it.
 */
const MAX_OMITTED_ZEROS = 2;
/** Least exponent of a CNPJ. */
const CNPJ_EXPONENT = 10;

/**
 * Returns the digits of a number in scientific notation that has all of them, as programs write it: `3.100000100016e+13` →
 * `31000001000160`; null for another text, and for a rounded number.
 */
export function withoutExponent(text: string): string | null {
  const number = scientific(text);
  if (number === null || number.exponent < 0) return null;
  const length = number.exponent + 1;
  if (number.omitted > (number.exponent < CNPJ_EXPONENT ? 0 : MAX_OMITTED_ZEROS)) return null;
  return /^0*$/.test(number.digits.slice(length)) ? number.digits.slice(0, length).padEnd(length, '0') : null;
}

/**
 * Bounds of a number in scientific notation, from the digits that it has kept; some programs cut the others. Null for any other text, and
 * for zero, which a spreadsheet shows where it has no number.
 */
export function boundsOf(text: string): { readonly min: number; readonly max: number } | null {
  const { digits = '0', omitted = 0 } = scientific(text) ?? {};
  const [number, unit] = [Number(digits), 10 ** omitted];
  return number === 0 ? null : { min: (number - 1) * unit, max: (number + 1) * unit };
}

/** Returns the number of `31000001000160.0` or `31.000.001.000.160,00` without its decimals; null for a text without zero decimals. */
export function withoutDecimals(text: string): string | null {
  if (/^\d*$/.test(text)) return null; // most ids, at a tenth of the cost
  return /^([\d.,]*\d)[.,]0{1,2}$/.exec(unwrapped(text))?.[1] ?? null;
}
