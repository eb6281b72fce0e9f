import type { Message } from '../messages/message.ts';
import { taxIdMessages } from '../messages/tax-ids.ts';
import { isCpf } from './personal-ids.ts';
import { groupedByThousands, withPlainDashes } from './text.ts';

/* Common rules for the tax ids of all countries. */

/** Reason for which a text is not a tax id, as a sentence for the caller. */
export interface IdProblem {
  readonly problem: Message;
}

export const malformed = (problem: Message): IdProblem => ({ problem });

/** Maximum length of a text that is read as a tax id, blanks and a label included. */
export const MAX_TAX_ID_TEXT = 64;

export const TAX_ID_TOO_LONG = malformed(taxIdMessages.tooLong({ max: MAX_TAX_ID_TEXT }));

/** Matches `1,23E+13`, a number in scientific notation. Without punctuation it may have the form of a CNPJ with a letter. */
const SCIENTIFIC = /^(\d)(?:[.,](\d{1,20}))?E([+-]?\d{1,2})$/i;

const ROUNDED_ID = malformed(taxIdMessages.rounded());

const TWO_IDS = malformed(taxIdMessages.withDecimals());

/**
 * Adds three rules to a reader of ids: it refuses a text that is too long before anything parses it, it refuses a number that a
 * spreadsheet has rounded, and it treats zero decimals as part of the id or not, depending on the check digits.
 */
const taxIdReader =
  (read: (text: string) => string | IdProblem): ((text: string) => string | IdProblem) =>
  (text) => {
    if (text.length > MAX_TAX_ID_TEXT) return TAX_ID_TOO_LONG;
    if (/^\d+$/.test(text)) return read(text);
    if (isRounded(text)) return ROUNDED_ID;
    const number = withoutDecimals(text);
    if (number === null) return read(text);
    const [whole, cut] = [read(text), read(number)];
    if (isProblem(whole) || isProblem(cut)) return isProblem(cut) ? whole : cut;
    return whole === cut ? cut : TWO_IDS;
  };

export const isProblem = (result: string | IdProblem): result is IdProblem => typeof result !== 'string';

/** True for a number in scientific notation, of which a spreadsheet has kept only the first digits. */
export const isRounded = (text: string): boolean => SCIENTIFIC.test(unwrapped(text)) && withoutDecimals(text) === null;

/** Bounds of a number in scientific notation, from the digits that it has kept; null for any other text. Some programs cut the others. */
export function boundsOf(text: string): { readonly min: number; readonly max: number } | null {
  const [, first = '', decimals = '', exponent] = SCIENTIFIC.exec(unwrapped(text)) ?? [];
  if (exponent === undefined) return null;
  const unit = 10 ** (Number(exponent) - decimals.length);
  const number = Number(first + decimals);
  return { min: (number - 1) * unit, max: (number + 1) * unit };
}

/**
 * Returns the number of `31000001000160.0` or `31.000.001.000.160,00` without its decimals, and that of `3,1000001000160E+13`, which has
 * all its digits; null for any other text.
 */
export function withoutDecimals(text: string): string | null {
  if (/^\d*$/.test(text)) return null; // most ids, at a tenth of the cost
  const number = unwrapped(text);
  const [, first = '', decimals = '', exponent] = SCIENTIFIC.exec(number) ?? [];
  if (decimals !== '' && decimals.length === Number(exponent)) return first + decimals;
  return /^([\d.,]*\d)[.,]0{1,2}$/.exec(number)?.[1] ?? null;
}

/** Converts a text to ASCII letters and digits, without blanks and without the signs by which spreadsheets mark a text: `="…"`, `'…`. */
const unwrapped = (text: string): string => text.normalize('NFKC').replace(/[\s\p{Cf}=`´'"\u2018-\u201d]/gu, '');

/**
 * Returns the text in upper case, without a leading label (`RUT:`, `CNPJ`, `CPF`, `NIT`), punctuation or blanks of any kind.
 * Keeps letters that are part of the id.
 */
export function strip(text: string): string {
  if (/^\d*$/.test(text)) return text;
  const capitals = text.normalize('NFKC').toUpperCase().trim();
  const bare = squash(capitals);
  // An alphanumeric CNPJ may begin with the letters of a label.
  return /^[0-9A-Z]{12}\d{2}$/.test(bare) && !/^CPF[^0-9A-Z]/.test(capitals)
    ? bare
    : squash(capitals.replace(/\s+/g, ' ').replace(LABEL, ''));
}

const LABEL = /^(?:CNPJ|CPF|RUT|NIT) ?(?:N[O.º°]{1,4})? ?[:.#]? ?(?=[0-9A-Z])/;

const squash = (text: string): string => text.replace(/[\s\p{Cf}.,;:=`´'"#+|~_()/\\\-\u2010-\u2015\u2018-\u201d\u2212]/gu, '');

/* CNPJ: Brazilian company id. 12 digits or letters (letters since July 2026) and two check digits. */

const CNPJ_SHAPE = /^[0-9A-Z]{12}[0-9]{2}$/;
const CNPJ_WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];

/** Computes the two check digits of the first 12 characters. A character counts as its ASCII code − 48 (IN RFB 2.229/2024). */
export function cnpjCheckDigits(base: string): string {
  const digit = (text: string) => {
    const skipped = CNPJ_WEIGHTS.length - text.length;
    let sum = 0;
    for (let i = 0; i < text.length; i += 1) sum += (text.charCodeAt(i) - 48) * (CNPJ_WEIGHTS[skipped + i] ?? 0);
    return sum % 11 < 2 ? 0 : 11 - (sum % 11);
  };
  const first = digit(base);
  return `${first}${digit(base + first)}`;
}

/** Usual format of a CPF. */
const CPF_MASK = /^\d{3}\.\d{3}\.\d{3}-\d{2}$/;

const NOT_A_CNPJ = malformed(taxIdMessages.notACnpj());
const PERSONS_ID = malformed(taxIdMessages.personsCpf());
const REPEATED = malformed(taxIdMessages.repeatedCnpj());

/**
 * Returns the bare CNPJ of 14 characters, or the reason for which the text is none. It ignores punctuation, blanks and letter case. 11 to
 * 13 digits have lost their left zeros in a spreadsheet, if the check digits are right. A CPF is not a CNPJ, although one CPF in a hundred
 * would be one with three zeros before it.
 */
export const readCnpj = taxIdReader((text: string): string | IdProblem => {
  const bare = strip(text);
  if (/^(.)\1{10,}$/.test(bare)) return REPEATED;
  if (CNPJ_SHAPE.test(bare)) return withCheckDigits(bare, taxIdMessages.cnpjCheckDigits);
  if (!/^\d+$/.test(bare)) return NOT_A_CNPJ;
  if (hasNoCheckDigits(text)) return malformed(taxIdMessages.shortCnpj({ n: bare.length }));
  if (bare.length === 11 && ((isCpf(bare) && !text.includes('/')) || CPF_MASK.test(unwrapped(text)))) return PERSONS_ID;
  return padded(bare);
});

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

function withCheckDigits(cnpj: string, problem: (checkDigits: CheckDigits) => Message): string | IdProblem {
  const [expected, given] = [cnpjCheckDigits(cnpj.slice(0, 12)), cnpj.slice(12)];
  return given === expected ? cnpj : malformed(problem({ expected, given }));
}

/** Matches what may be a CNPJ within a text: 13 or 14 digits with any punctuation or none, or one with letters and its punctuation. */
const CNPJ_WITHIN =
  /(?<!\d)\d{1,2}[ .-]?\d{3}[ .-]?\d{3}[ ./-]{0,3}\d{4}[ .-]{0,3}\d{2}(?!\d)|(?<!\w)(?:[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}\/[0-9A-Z]{4}-\d{2})(?!\w)/gi;

const CNPJ_MASK = /^\d{2}\.\d{3}\.\d{3}\/\d{4}-\d{2}$/;

/**
 * Returns the bare CNPJs within a text, each once. `verified`: those whose check digits are right; `damaged`: those that are printed with the
 * usual punctuation and whose check digits are wrong.
 */
export function cnpjsIn(text: string): { readonly verified: readonly string[]; readonly damaged: readonly string[] } {
  const verified = new Set<string>();
  const damaged = new Set<string>();
  for (const [printed] of withPlainDashes(text.normalize('NFKC')).matchAll(CNPJ_WITHIN)) {
    const cnpj = readCnpj(printed);
    if (!isProblem(cnpj)) verified.add(cnpj);
    else if (CNPJ_MASK.test(printed)) damaged.add(strip(printed));
  }
  return { verified: [...verified], damaged: [...damaged] };
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

/** Returns true for the bare RUT of a natural person. */
export const isPersonsRut = (rut: string): boolean => numberOfRut(rut) < FIRST_LEGAL_PERSON;

/** Computes the check digit of the number: weights 2–7 from the right, mod 11. */
export function rutCheckDigit(number: string): string {
  let sum = 0;
  for (let i = 0; i < number.length; i += 1) sum += Number(number[number.length - 1 - i]) * ((i % 6) + 2);
  const digit = (11 - (sum % 11)) % 11;
  return digit === 10 ? 'K' : String(digit);
}

/** Returns the bare RUT of a number without a check digit, as copies of the registry store it. */
export const rutOfNumber = (number: number): string => `${number}${rutCheckDigit(String(number))}`;

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

/** Matches what may be a RUT of a company within a text: eight digits and a check digit, with any punctuation or none. */
const RUT_WITHIN = /(?<!\d)\d{2}[ .]?\d{3}[ .]?\d{3}[ .-]{0,3}(?:\d(?!\d)|K(?![A-Z\d]))/gi;

/** Returns the bare RUTs of companies within a text whose check digits are right, each once. */
export function companyRutsIn(text: string): readonly string[] {
  const read = (withPlainDashes(text.normalize('NFKC')).match(RUT_WITHIN) ?? []).map((one) => readRut(one));
  return [...new Set(read.filter((rut): rut is string => !isProblem(rut) && !isPersonsRut(rut)))];
}

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

/** Matches a check digit after a dash. The part before the dash is the base, of any length. */
const DASHED_NIT = /^(.*\d)\s*[-\u2010-\u2015]\s*(\d)$/;

/** Returns the bare NIT with its check digit, which is computed when the text has none, or the reason for which the text is not a NIT. */
export const readNit = taxIdReader((text: string): string | IdProblem => {
  const [, before, after = ''] =
    DASHED_NIT.exec(
      text
        .normalize('NFKC')
        .replace(/[\p{Cf}='"]/gu, '')
        .trim(),
    ) ?? [];
  const bare = strip(before ?? text).replace(/^0+/, '');
  const base = before === undefined ? bare.slice(0, 9) : bare;
  if (!(before === undefined ? /^\d{9,10}$/ : /^\d{6,9}$/).test(bare)) {
    return malformed(taxIdMessages.notANit());
  }
  if (/^(.)\1+$/.test(base)) return malformed(taxIdMessages.repeatedNit());
  const expected = nitCheckDigit(base);
  const given = (before === undefined ? bare.slice(9) : after) || expected;
  return given === expected ? base + given : malformed(taxIdMessages.nitCheckDigit({ expected, given }));
});

/** Formats `9009647055` as `900.964.705-5`. */
export const formatNit = (nit: string): string => `${groupedByThousands(nit.slice(0, -1))}-${nit.slice(-1)}`;
