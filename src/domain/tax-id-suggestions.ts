import { cnpjCheckDigits } from './check-digits.ts';
import { COUNTRIES, type CompanyKey, readAnyCompanyKey, readCompanyKey } from './company.ts';
import { isRounded } from './spreadsheet-numbers.ts';
import { bareId, MAX_TAX_ID_TEXT, nitCheckDigit, rutCheckDigit } from './tax-id.ts';

/** The companies that a person may mean by a text. */
export interface SuggestedKeys {
  /** Companies whose valid tax id the text is; several when it is valid in several countries. */
  readonly exact: readonly CompanyKey[];
  /** Companies whose tax id the text would be with other check digits, in countries of which `exact` has none. */
  readonly corrected: readonly CompanyKey[];
}

const NOTHING: SuggestedKeys = { exact: [], corrected: [] };

/**
 * Reads a text that a person types. In contrast to `readAnyCompanyKey` it returns every reading instead of a problem, so that the person
 * chooses. The CPF of a person has no reading.
 */
export function suggestedCompanyKeys(text: string): SuggestedKeys {
  if (text.length > MAX_TAX_ID_TEXT) return NOTHING;
  const detected = readAnyCompanyKey(text);
  const exact = 'problem' in detected ? keysOf(COUNTRIES.map((country) => readCompanyKey(country, text))) : [detected];
  const corrected = isRounded(text) ? [] : withRightDigits(text).filter(({ country }) => !exact.some((one) => one.country === country));
  return { exact, corrected };
}

const NIT_LENGTH = 10;

/** Leaves out problems, and the shorter NIT of a natural person, which has the form of a RUT with a wrong check digit. */
const keysOf = (read: readonly ReturnType<typeof readAnyCompanyKey>[]): readonly CompanyKey[] =>
  read.flatMap((one) => ('problem' in one || (one.country === 'CO' && one.taxId.length < NIT_LENGTH) ? [] : [one]));

const MIN_DIGITS = 8;

/** True for the form of a CNPJ. A name such as POSTO CENTRAL 24 has it too, with fewer digits than usual. */
const isLikeCnpj = (bare: string): boolean => /^[0-9A-Z]{12}\d{2}$/.test(bare) && bare.replace(/\D/g, '').length >= MIN_DIGITS;

/** Replaces the check digits of a text that has the length of a complete tax id. Numbers of one repeated digit are not issued. */
function withRightDigits(text: string): readonly CompanyKey[] {
  const bare = bareId(text);
  const rut = bare.replace(/^CL(?=\d)/, '').replace(/^0(?=.{8})/, '');
  const base = bare.slice(0, -1);
  if (/^(.)\1+$/.test(bare)) return [];
  return keysOf([
    ...(isLikeCnpj(bare) ? [readCompanyKey('BR', bare.slice(0, 12) + cnpjCheckDigits(bare.slice(0, 12)))] : []),
    ...(/^\d{7,8}[0-9K]$/.test(rut) ? [readCompanyKey('CL', rut.slice(0, -1) + rutCheckDigit(rut.slice(0, -1)))] : []),
    ...(/^[1-9]\d{9}$/.test(bare) ? [readCompanyKey('CO', base + nitCheckDigit(base))] : []),
  ]);
}
