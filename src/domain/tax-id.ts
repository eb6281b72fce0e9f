import type { Message } from '../messages/message.ts';
import { taxIdMessages } from '../messages/tax-ids.ts';
import { cnpjCheckDigits } from './check-digits.ts';
import { isCpf, withoutExtraZeros } from './personal-ids.ts';
import { isScientific, unwrapped, withoutDecimals, withoutExponent } from './spreadsheet-numbers.ts';
import { groupedByThousands } from './text.ts';

/* Common rules for the tax ids of all countries. */

/** Reason for which a text is not a tax id, as a sentence for the caller. */
export interface IdProblem {
  readonly problem: Message;
}

export const malformed = (problem: Message): IdProblem => ({ problem });

/** Maximum length of a text that is read as a tax id, blanks and a label included. */
export const MAX_TAX_ID_TEXT = 64;

export const TAX_ID_TOO_LONG = malformed(taxIdMessages.tooLong({ max: MAX_TAX_ID_TEXT }));

const ROUNDED_ID = malformed(taxIdMessages.rounded());

const TWO_IDS = malformed(taxIdMessages.withDecimals());

/**
 * Adds three rules to a reader of ids: it refuses a text that is too long before anything parses it, it refuses a number that a
 * spreadsheet has rounded, and it treats zero decimals as part of the id or not, depending on the check digits. A number in scientific
 * notation that has all its digits is read.
 */
const taxIdReader =
  (read: (text: string) => string | IdProblem): ((text: string) => string | IdProblem) =>
  (text) => {
    if (text.length > MAX_TAX_ID_TEXT) return TAX_ID_TOO_LONG;
    if (/^\d+$/.test(text)) return read(text);
    if (isScientific(text)) {
      const id = read(withoutExponent(text) ?? '');
      return isProblem(id) ? ROUNDED_ID : id;
    }
    const number = withoutDecimals(text);
    if (number === null) return read(text);
    const [whole, cut] = [read(text), read(number)];
    if (isProblem(whole) || isProblem(cut)) return isProblem(cut) ? whole : cut;
    return whole === cut ? cut : TWO_IDS;
  };

export const isProblem = (result: string | IdProblem): result is IdProblem => typeof result !== 'string';

/** Returns an id as `strip` does, without the decimals or the exponent of a number. */
export function bareId(text: string): string {
  if (/^\d*$/.test(text)) return text; // most ids, at a tenth of the cost
  return strip(withoutExponent(text) ?? withoutDecimals(text) ?? text);
}

/**
 * Returns the text in upper case, without a leading label (`RUT:`, `C.N.P.J. nº`, `CPF`, `NIT No.`), punctuation or blanks of any kind, and
 * without the country before a whole CNPJ. Keeps letters that are part of the id. A text that is too long for an id is returned as it is,
 * because a column may have a text of megabytes by mistake.
 */
export function strip(text: string): string {
  if (text.length > MAX_TAX_ID_TEXT || /^\d*$/.test(text)) return text;
  const capitals = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toUpperCase();
  const [label = ''] = LABEL.exec(capitals) ?? [];
  const bare = squash(capitals).replace(/^BR(?=[0-9A-Z]{12}\d{2}$)/, '');
  // An alphanumeric CNPJ may begin with the letters of a label, or of a word for "number".
  if (label === '' || (CNPJ_SHAPE.test(bare) && /[0-9A-Z]$/.test(label))) return bare;
  const number = capitals.slice(label.length);
  return isWholeCnpj(squash(number)) ? squash(number) : squash(number.replace(NUMBER_WORD, ''));
}

const LABEL = /^(?:C\.?N\.?P\.?J|C\.?G\.?C|C\.?P\.?F|R\.?U\.?[TN]|N\.?I\.?T)\.?(?: ?[/-] ?M\.?F\.?(?![A-Z]))?[ :.#()/-]{0,5}(?=[0-9A-Z])/;
/** Words and marks between a label and its number: `nº`, `No.`, `Nro`, `número`. */
const NUMBER_WORD = /^N(?:[O.°]{1,4}|RO\.?|[UÚ]M(?:ERO)?\.?)[ :.#-]{0,5}(?=[0-9A-Z])/;

const squash = (text: string): string => text.replace(/[\s\p{Cf}.,;:=`´'"#+|~_()/\\\-\u2010-\u2015\u2018-\u201d\u2212]/gu, '');

/* CNPJ: Brazilian company id. 12 digits or letters (letters since July 2026) and two check digits. */

const CNPJ_SHAPE = /^[0-9A-Z]{12}[0-9]{2}$/;

/** Usual format of a CPF. */
const CPF_MASK = /^\d{3}\.\d{3}\.\d{3}-\d{2}$/;

const NOT_A_CNPJ = malformed(taxIdMessages.notACnpj());
const PERSONS_ID = malformed(taxIdMessages.personsCpf());
const REPEATED = malformed(taxIdMessages.repeatedCnpj());

/**
 * Returns the bare CNPJ of 14 characters, or the reason for which the text is none. It ignores punctuation, blanks and letter case. 11 to
 * 13 digits have lost their left zeros in a spreadsheet, if the check digits are right; 15 to 18 without punctuation may have additional
 * ones. A CPF is not a CNPJ, although one CPF in a hundred would be one with three zeros before it.
 */
export const readCnpj = taxIdReader((text: string): string | IdProblem => {
  const bare = withoutPadding(strip(text), text);
  if (/^(.)\1{10,}$/.test(bare)) return REPEATED;
  if (CNPJ_SHAPE.test(bare)) return withCheckDigits(bare, taxIdMessages.cnpjCheckDigits);
  if (!/^\d+$/.test(bare)) return NOT_A_CNPJ;
  if (hasNoCheckDigits(text)) return malformed(taxIdMessages.shortCnpj({ n: bare.length }));
  if (bare.length === 11 && ((isCpf(bare) && !text.includes('/')) || CPF_MASK.test(unwrapped(text)))) return PERSONS_ID;
  return padded(bare);
});

/**
 * Removes the additional left zeros of a number from a column of fixed width. With punctuation it is another number, such as that of a
 * process (`00058.000123/2024-11`), and it may be a CPF.
 */
const withoutPadding = (bare: string, text: string): string =>
  /[./]/.test(text) || isCpf(withoutExtraZeros(bare)) ? bare : bare.replace(/^0{1,4}(?=\d{14}$)/, '');

/**
 * True for a text that ends at the number of the branch, `11222333/0001`, with no more than the root before it. Twelve digits without the
 * slash may have lost two left zeros.
 */
function hasNoCheckDigits(text: string): boolean {
  const slash = /\d\s{0,3}\/\s{0,3}\d{1,4}\s{0,3}$/.exec(text);
  return slash !== null && text.slice(0, slash.index + 1).replace(/\D/g, '').length <= 8;
}

/** Reads a number without its left zeros. `11222333`, a root alone, identifies no establishment. */
function padded(digits: string): string | IdProblem {
  const n = digits.length;
  const extra = n - 14;
  if (extra > 0) return malformed(extra === 1 ? taxIdMessages.oneDigitTooMany({ n }) : taxIdMessages.digitsTooMany({ n, extra }));
  if (n < 11) return malformed(taxIdMessages.shortCnpj({ n }));
  const zeros = 14 - n;
  return withCheckDigits(digits.padStart(14, '0'), (checkDigits) =>
    zeros === 1 ? taxIdMessages.lostZero({ n, ...checkDigits }) : taxIdMessages.lostZeros({ n, zeros, ...checkDigits }),
  );
}

interface CheckDigits {
  readonly expected: string;
  readonly given: string;
}

const isWholeCnpj = (text: string): boolean => CNPJ_SHAPE.test(text) && cnpjCheckDigits(text.slice(0, 12)) === text.slice(12);

function withCheckDigits(cnpj: string, problem: (checkDigits: CheckDigits) => Message): string | IdProblem {
  const [expected, given] = [cnpjCheckDigits(cnpj.slice(0, 12)), cnpj.slice(12)];
  return given === expected ? cnpj : malformed(problem({ expected, given }));
}

/** Returns the first 8 characters, which all branches of a legal person share. */
export const cnpjRoot = (cnpj: string): string => cnpj.slice(0, 8);

/** Formats `11222333000181` as `11.222.333/0001-81`. */
export const formatCnpj = (cnpj: string): string =>
  `${cnpj.slice(0, 2)}.${cnpj.slice(2, 5)}.${cnpj.slice(5, 8)}/${cnpj.slice(8, 12)}-${cnpj.slice(12)}`;

/* RUT: Chilean tax id. Up to 8 digits and a check digit, 0–9 or K. */

/**
 * Lowest number of legal persons. Lower numbers belong to natural persons, about whom nothing is stored. The registry follows this
 * convention; it is not a law.
 */
export const FIRST_LEGAL_PERSON = 50_000_000;

/** Lowest number of a living natural person. A lower one, in a text without a right check digit, may be the rest of any number. */
export const FIRST_PERSON = 1_000_000;

/** Returns true for the bare RUT of a natural person. */
export const isPersonsRut = (rut: string): boolean => numberOfRut(rut) < FIRST_LEGAL_PERSON;

/** Check digits by the sum of the weighted digits of the number, mod 11. */
const RUT_CHECK_DIGITS = '0K987654321';

/** Weight of the digit at a place of the number, from the right: 2–7, again and again. */
const rutWeight = (place: number): number => (place % 6) + 2;

/** Computes the check digit of the number. */
export function rutCheckDigit(number: string): string {
  let sum = 0;
  for (let i = 0; i < number.length; i += 1) sum += Number(number[number.length - 1 - i]) * rutWeight(i);
  return RUT_CHECK_DIGITS.charAt(sum % 11);
}

/** Returns the bare RUT of a number without a check digit, as copies of the registry store it. */
export const rutOfNumber = (number: number): string => `${number}${rutCheckDigit(String(number))}`;

/**
 * Returns the bare RUTs of the companies that a RUT with a wrong check digit may mean because its number has lost one digit: they have its
 * other digits in their order, and its check digit. A damaged file has thousands of such RUTs, so the sum of the weighted digits is computed
 * for the first place of the lost digit, and changed for each other one.
 * @param rut bare RUT; one whose number has not seven digits means no company
 */
export function companiesOfCutRut(rut: string): readonly string[] {
  if (!/^\d{7}[\dK]$/.test(rut)) return [];
  const [number, checkDigit] = [numberOfRut(rut), rut.slice(-1)];
  const digits = Array.from(rut.slice(0, -1), Number).reverse();
  const possible = new Set<string>();
  let sum = digits.reduce((total, digit, place) => total + digit * rutWeight(place + 1), 0);
  for (let place = 0; place <= digits.length; place += 1) {
    for (let digit = 0; digit < 10; digit += 1) {
      if (RUT_CHECK_DIGITS.charAt((sum + digit * rutWeight(place)) % 11) !== checkDigit) continue;
      const scale = 10 ** place;
      const whole = (Math.floor(number / scale) * 10 + digit) * scale + (number % scale);
      if (whole >= FIRST_LEGAL_PERSON) possible.add(`${whole}${checkDigit}`);
    }
    sum += (digits[place] ?? 0) * (rutWeight(place) - rutWeight(place + 1));
  }
  return [...possible];
}

/** Returns the number of a bare RUT, without its check digit. */
export const numberOfRut = (rut: string): number => Number(rut.slice(0, -1));

/** Returns the bare RUT (`96505760` + `9`, no leading zeros), or the reason for which the text is none. */
export const readRut = taxIdReader((text: string): string | IdProblem => {
  const bare = strip(text)
    .replace(/^CL(?=\d)/, '')
    .replace(/^0+(?=.{2})/, '');
  if (!/^\d{1,8}[0-9K]$/.test(bare)) return malformed(taxIdMessages.notARut());
  if (/^(.)\1+$/.test(bare)) return malformed(taxIdMessages.repeatedRut());
  const expected = rutCheckDigit(bare.slice(0, -1));
  const given = bare.slice(-1);
  return given === expected ? bare : malformed(taxIdMessages.rutCheckDigit({ expected, given }));
});

/** Formats `965057609` as `96.505.760-9`. */
export const formatRut = (rut: string): string => `${groupedByThousands(rut.slice(0, -1))}-${rut.slice(-1)}`;

/*
 * NIT: Colombian tax id. The NIT of a company has 9 digits and a check digit, which is often omitted; a natural person's NIT may be
 * shorter.
 */

const NIT_WEIGHTS = [3, 7, 13, 17, 19, 23, 29, 37, 41];

/** Computes the check digit of the base: weights from the right, mod 11; the results 0 and 1 are the digit itself. */
export function nitCheckDigit(base: string): string {
  const sum = [...base].reverse().reduce((total, digit, i) => total + Number(digit) * (NIT_WEIGHTS[i] ?? 0), 0);
  return String(sum % 11 < 2 ? sum % 11 : 11 - (sum % 11));
}

/** Matches the words before the check digit of a NIT: `900964705 DV 5`. */
export const CHECK_DIGIT_WORD = /(?<=\d)[\s,;(-]{0,3}D\.?\s?V\.?[\s:.-]{0,3}(?=\d\W?$)/i;
/** Matches a check digit after a dash. The part before the dash is the base, of any length. */
const DASHED_NIT = /^(.*\d)\s*[-\u2010-\u2015]\s*(\d)\)?$/;

/** Ten digits that are not the NIT of a company with its check digit. Identity cards have ten digits, too, and begin with 1. */
const PERSONS_CARD = /^[1-7]\d{9}$/;

/**
 * Returns the bare NIT with its check digit, which is computed when the text has none, or the reason for which the text is not a NIT. Ten
 * digits without a dash before the last one are an identity card of a person unless they begin with 8 or 9: one card in eleven ends in the
 * digit that a NIT would have.
 */
export const readNit = taxIdReader((text: string): string | IdProblem => {
  const written = text
    .normalize('NFKC')
    .replace(/[\p{Cf}='"]/gu, '')
    .trim()
    .replace(CHECK_DIGIT_WORD, '-');
  const [, before, after = ''] = DASHED_NIT.exec(written) ?? [];
  const bare = strip(before ?? text)
    .replace(/^CO(?=\d)/, '')
    .replace(/^0+/, '');
  const base = before === undefined ? bare.slice(0, 9) : bare;
  if (!(before === undefined ? /^\d{9,10}$/ : /^\d{6,9}$/).test(bare)) {
    return malformed(taxIdMessages.notANit());
  }
  if (/^(.)\1+$/.test(base)) return malformed(taxIdMessages.repeatedNit());
  if (before === undefined && PERSONS_CARD.test(bare)) return malformed(taxIdMessages.personsCard());
  const expected = nitCheckDigit(base);
  const given = (before === undefined ? bare.slice(9) : after) || expected;
  return given === expected ? base + given : malformed(taxIdMessages.nitCheckDigit({ expected, given }));
});

/** Formats `9009647055` as `900.964.705-5`. */
export const formatNit = (nit: string): string => `${groupedByThousands(nit.slice(0, -1))}-${nit.slice(-1)}`;
