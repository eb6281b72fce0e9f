import { boundedReader, type IdProblem, malformed, strip } from './tax-id.ts';
import { groupedByThousands } from './text.ts';

/** RUT: Chilean tax id. Up to 8 digits and a check digit, 0–9 or K. */

/**
 * Numbers from here on belong to legal persons, lower ones to natural persons, about whom nothing is stored. The registry follows this
 * convention; it is not a law.
 */
export const FIRST_LEGAL_PERSON = 50_000_000;

/** Returns true for the bare RUT of a natural person. */
export const isPersonsRut = (rut: string): boolean => Number(rut.slice(0, -1)) < FIRST_LEGAL_PERSON;

/** Computes the check digit of the number: weights 2–7 from the right, mod 11. */
export function rutCheckDigit(number: string): string {
  let sum = 0;
  for (let i = 0; i < number.length; i += 1) sum += Number(number[number.length - 1 - i]) * ((i % 6) + 2);
  const digit = (11 - (sum % 11)) % 11;
  return digit === 10 ? 'K' : String(digit);
}

/** Returns the bare RUT (`96505760` + `9`, no leading zeros), or what is wrong with the text. */
export const readRut = boundedReader((text: string): string | IdProblem => {
  const bare = strip(text)
    .replace(/^CL(?=\d)/, '')
    .replace(/^0+(?=.{2})/, '');
  if (!/^\d{1,8}[0-9K]$/.test(bare)) return malformed('A RUT has up to 8 digits and a check digit 0–9 or K, e.g. 76.123.456-0.');
  const expected = rutCheckDigit(bare.slice(0, -1));
  const given = bare.slice(-1);
  return given === expected ? bare : malformed(`The check digit of this RUT should be ${expected}, not ${given}.`);
});

/** `965057609` → `96.505.760-9` */
export const formatRut = (rut: string): string => `${groupedByThousands(rut.slice(0, -1))}-${rut.slice(-1)}`;
