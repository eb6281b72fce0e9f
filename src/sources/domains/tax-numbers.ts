import { readCnpj } from '../../domain/cnpj.ts';
import type { Country } from '../../domain/company.ts';
import { isPersonsRut, readRut } from '../../domain/rut.ts';
import { isProblem } from '../../domain/tax-id.ts';

/** A tax id of a company as it stands in a text. */
export interface TaxNumber {
  /** Bare and valid. */
  readonly taxId: string;
  readonly start: number;
  readonly end: number;
  /** Written with all its punctuation: unlikely to be another kind of number. */
  readonly punctuated: boolean;
}

interface Form {
  /** Anything that may be one; digits may run together. Its first group is there when the number is written in full. */
  readonly pattern: RegExp;
  /** What a tax id is called, as a pattern. */
  readonly label: string;
  readonly read: typeof readRut;
  /** False for a person's number and for what people type to fill a form. */
  readonly isCompany: (taxId: string) => boolean;
}

/** Numbers of one digit are examples. */
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
      /(?<![\dA-Za-z]|\d[.,/-])(?:([\dA-Z]{2}\.[\dA-Z]{3}\.[\dA-Z]{3} ?\/ ?[\dA-Z]{4} ?- ?\d{2})|\d{2}[. ]?\d{3}[. ]?\d{3} ?\/? ?\d{4} ?-? ?\d{2})(?![\dA-Za-z]|[.,/-]\d)/g,
    label: String.raw`\bc\.? ?n\.? ?p\.? ?j\b`,
    read: readCnpj,
    isCompany: () => true,
  },
};

/** Countries whose companies are looked for on pages. */
export type PageCountry = Extract<Country, keyof typeof FORMS>;

/** True for words that end in a label: `RUT`, `R.U.T. de la empresa N°:`, `Rol Único Tributario`, `CNPJ/MF nº`. */
export const followsLabel = (words: string, country: PageCountry): boolean =>
  new RegExp(String.raw`${FORMS[country].label}\D{0,40}$`, 'i').test(words);

/** True for words that begin with a label in brackets: ` (RUT)`. */
export const precedesLabel = (words: string, country: PageCountry): boolean =>
  new RegExp(String.raw`^ ?\( ?${FORMS[country].label}`, 'i').test(words);

/** The companies' tax ids in a plain line, in order: check digits right, people's numbers and fillers left out. */
export function taxNumbers(text: string, country: PageCountry): readonly TaxNumber[] {
  return [...text.matchAll(FORMS[country].pattern)].flatMap((match) => {
    const taxId = readTaxNumber(match[0], country);
    const { index } = match;
    return taxId ? [{ taxId, start: index, end: index + match[0].length, punctuated: match[1] !== undefined }] : [];
  });
}

/** One value said to be a tax id → a company's, bare; null for anything else. */
export function readTaxNumber(text: string, country: PageCountry): string | null {
  const { read, isCompany } = FORMS[country];
  const taxId = read(text);
  return !isProblem(taxId) && isCompany(taxId) ? taxId : null;
}
