import { type IdProblem, malformed, strip } from './tax-id.ts';

/** NIT: Colombian tax id of a company. 9 digits and a check digit, which people often leave out. */

const WEIGHTS = [3, 7, 13, 17, 19, 23, 29, 37, 41];

/** Check digit of the 9-digit base: weights from the right, mod 11; 0 and 1 stay. */
export function nitCheckDigit(base: string): string {
  const sum = [...base].reverse().reduce((total, digit, i) => total + Number(digit) * (WEIGHTS[i] ?? 0), 0);
  return String(sum % 11 < 2 ? sum % 11 : 11 - (sum % 11));
}

/** Bare NIT of 10 digits, the check digit computed where it was left out; or what is wrong with the text. */
export function readNit(text: string): string | IdProblem {
  const bare = strip(text).replace(/^0+/, '');
  if (!/^\d{9,10}$/.test(bare)) return malformed('A NIT has 9 digits and, if given, a check digit, e.g. 900.964.705-5.');
  const base = bare.slice(0, 9);
  const expected = nitCheckDigit(base);
  const given = bare.slice(9) || expected;
  return given === expected ? base + given : malformed(`The check digit of this NIT should be ${expected}, not ${given}.`);
}

/** `9009647055` → `900.964.705-5` */
export const formatNit = (nit: string): string => `${nit.slice(0, 3)}.${nit.slice(3, 6)}.${nit.slice(6, 9)}-${nit.slice(9)}`;
