import { boundedReader, type IdProblem, malformed, strip } from './tax-id.ts';
import { groupedByThousands } from './text.ts';

/** NIT: Colombian tax id. A company's has 9 digits and a check digit, which is often left out; a natural person's NIT may be shorter. */

const WEIGHTS = [3, 7, 13, 17, 19, 23, 29, 37, 41];

/** Computes the check digit of the base: weights from the right, mod 11; the results 0 and 1 are the digit itself. */
export function nitCheckDigit(base: string): string {
  const sum = [...base].reverse().reduce((total, digit, i) => total + Number(digit) * (WEIGHTS[i] ?? 0), 0);
  return String(sum % 11 < 2 ? sum % 11 : 11 - (sum % 11));
}

/** A check digit behind a dash: the part before the dash is the base, of any length. */
const DASHED = /^(.*\d)\s*[-\u2010-\u2015]\s*(\d)$/;

/** Returns the bare NIT with its check digit, which is computed when the text has none; or what is wrong with the text. */
export const readNit = boundedReader((text: string): string | IdProblem => {
  const [, before, after = ''] = DASHED.exec(text.normalize('NFKC').trim()) ?? [];
  const bare = strip(before ?? text).replace(/^0+/, '');
  const base = before === undefined ? bare.slice(0, 9) : bare;
  if (!(before === undefined ? /^\d{9,10}$/ : /^\d{6,9}$/).test(bare)) {
    return malformed('A NIT has 9 digits and, if given, a check digit, e.g. 900.964.705-5.');
  }
  const expected = nitCheckDigit(base);
  const given = (before === undefined ? bare.slice(9) : after) || expected;
  return given === expected ? base + given : malformed(`The check digit of this NIT should be ${expected}, not ${given}.`);
});

/** `9009647055` → `900.964.705-5` */
export const formatNit = (nit: string): string => `${groupedByThousands(nit.slice(0, -1))}-${nit.slice(-1)}`;
