import { boundedReader, type IdProblem, malformed, strip } from './tax-id.ts';

/** CNPJ: Brazilian company id. 12 digits or letters (letters since July 2026) and two check digits. */

const SHAPE = /^[0-9A-Z]{12}[0-9]{2}$/;
const WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];

/** Computes the two check digits of the first 12 characters. A character counts as its ASCII code − 48 (IN RFB 2.229/2024). */
export function cnpjCheckDigits(base: string): string {
  const digit = (text: string) => {
    const weights = WEIGHTS.slice(WEIGHTS.length - text.length);
    const sum = [...text].reduce((total, char, i) => total + (char.charCodeAt(0) - 48) * (weights[i] ?? 0), 0);
    return sum % 11 < 2 ? 0 : 11 - (sum % 11);
  };
  const first = digit(base);
  return `${first}${digit(base + first)}`;
}

/** Returns the bare CNPJ of 14 characters, or what is wrong with the text. Ignores punctuation, blanks and letter case. */
export const readCnpj = boundedReader((text: string): string | IdProblem => {
  const bare = strip(text);
  if (!SHAPE.test(bare)) return malformed('A CNPJ has 12 letters or digits and 2 check digits, e.g. 11.222.333/0001-81.');
  if (new Set(bare).size === 1) return malformed('A CNPJ of one repeated character is not issued.');
  const expected = cnpjCheckDigits(bare.slice(0, 12));
  const given = bare.slice(12);
  return given === expected ? bare : malformed(`The check digits of this CNPJ should be ${expected}, not ${given}.`);
});

/** Returns the first 8 characters, which all branches of a legal person share. */
export const cnpjRoot = (cnpj: string): string => cnpj.slice(0, 8);

/** `11222333000181` → `11.222.333/0001-81` */
export const formatCnpj = (cnpj: string): string =>
  `${cnpj.slice(0, 2)}.${cnpj.slice(2, 5)}.${cnpj.slice(5, 8)}/${cnpj.slice(8, 12)}-${cnpj.slice(12)}`;

/** CPF: the tax id of a natural person. The service never shows or stores it in full. */

const CPF = /(?<![\dA-Za-z])\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?![\dA-Za-z])/g;

/** Masks a CPF as the Brazilian registry does: hides the first three and the last two digits. */
export const maskCpf = (digits: string): string => `***${digits.slice(3, 9)}**`;

/** Masks every CPF in a text: sole traders have theirs in the legal name. Other numbers of 11 digits stay as they are. */
export const hideCpfs = (text: string): string =>
  text.replace(CPF, (written) => {
    const digits = written.replace(/\D/g, '');
    return isCpf(digits) ? maskCpf(digits) : written;
  });

/** True for eleven digits whose check digits are right. */
export function isCpf(digits: string): boolean {
  if (!/^\d{11}$/.test(digits)) return false;
  const check = (length: number) => {
    const sum = [...digits.slice(0, length)].reduce((total, digit, i) => total + Number(digit) * (length + 1 - i), 0);
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}
