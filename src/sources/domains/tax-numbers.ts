import type { Country } from '../../domain/company.ts';
import { isPersonsRut, isProblem, readCnpj, readRut } from '../../domain/tax-id.ts';

/** A tax id of a company and its position in a text. */
export interface TaxNumber {
  /** Bare, valid tax id. */
  readonly taxId: string;
  readonly start: number;
  readonly end: number;
  /** True when written with all its punctuation, and thus unlikely to be another kind of number. */
  readonly punctuated: boolean;
}

interface Form {
  /**
   * Matches any spelling of a tax id, also bare digits, and a CNPJ with punctuation that lacks its first zero. Its first group is set when
   * the number has all its punctuation.
   */
  readonly pattern: RegExp;
  /** Pattern of the words that label a tax id. */
  readonly label: string;
  readonly read: typeof readRut;
  /** False for the number of a natural person and for placeholder numbers. */
  readonly isCompany: (taxId: string) => boolean;
}

/** Matches a RUT of one repeated digit, as in placeholders and examples. */
const FILLER_RUT = /^(\d)\1{7}/;

const FORMS: Readonly<Record<'CL' | 'BR', Form>> = {
  CL: {
    pattern: /(?<!\d|\d[.,-])(?:(\d{1,2}\.\d{3}\.\d{3} ?- ?[\dk])|\d{1,2}(?:[., ]?\d{3}){2} ?-? ?[\dk])(?![\da-z]|[.,-]\d)/gi,
    label: String.raw`(?:\br\.? ?u\.? ?t\b|\brol [uú]nico\b)`,
    read: readRut,
    isCompany: (rut) => !isPersonsRut(rut) && !FILLER_RUT.test(rut),
  },
  BR: {
    pattern:
      /(?<![\dA-Za-z]|\d[.,/-])(?:((?:[\dA-Z]{2}|\d)\.[\dA-Z]{3}\.[\dA-Z]{3} ?\/ ?[\dA-Z]{4} ?- ?\d{2})|\d{2}[. ]?\d{3}[. ]?\d{3} ?\/? ?\d{4} ?-? ?\d{2})(?![\dA-Za-z]|[.,/-]\d)/g,
    label: String.raw`\bc\.? ?n\.? ?p\.? ?j\b`,
    read: readCnpj,
    isCompany: () => true,
  },
};

/** Countries whose tax ids are searched on pages. */
export type PageCountry = Extract<Country, keyof typeof FORMS>;

/** True when a text ends with a label: `RUT`, `R.U.T. de la empresa N°:`, `Rol Único Tributario`, `CNPJ/MF nº`. */
export const followsLabel = (words: string, country: PageCountry): boolean =>
  new RegExp(String.raw`${FORMS[country].label}\D{0,40}$`, 'i').test(words);

/** True when a text begins with a label in brackets: ` (RUT)`. */
export const precedesLabel = (words: string, country: PageCountry): boolean =>
  new RegExp(String.raw`^ ?\( ?${FORMS[country].label}`, 'i').test(words);

/** Returns the valid tax ids of companies in a line, in order, without numbers of natural persons and placeholders. */
export function taxNumbers(text: string, country: PageCountry): readonly TaxNumber[] {
  return [...text.matchAll(FORMS[country].pattern)].flatMap((match) => {
    const taxId = readTaxNumber(match[0], country);
    const { index } = match;
    return taxId ? [{ taxId, start: index, end: index + match[0].length, punctuated: match[1] !== undefined }] : [];
  });
}

/** Reads a value as the bare tax id of a company; null for any other text. */
export function readTaxNumber(text: string, country: PageCountry): string | null {
  const { read, isCompany } = FORMS[country];
  const taxId = read(text);
  return !isProblem(taxId) && isCompany(taxId) ? taxId : null;
}
