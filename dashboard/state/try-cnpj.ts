import { formatTaxId } from '../../src/domain/company.ts';
import { isProblem, readCnpj } from '../../src/domain/tax-id.ts';
import { suggestedCompanyKeys } from '../../src/domain/tax-id-suggestions.ts';

const pathOf = (cnpj: string): string => `/dashboard/company/BR/${cnpj}`;

/** Path of the page of a company by the CNPJ that a person typed, with or without punctuation; null for a text that is no CNPJ. */
export function pathOfCnpj(text: string): string | null {
  const cnpj = readCnpj(text.trim());
  return isProblem(cnpj) ? null : pathOf(cnpj);
}

/** A CNPJ that a person may mean. */
export interface Meant {
  /** With its punctuation. */
  readonly cnpj: string;
  readonly path: string;
}

/** Returns the CNPJ that a text would be with other check digits; null for a text of another form. */
export function meantCnpj(text: string): Meant | null {
  const meant = suggestedCompanyKeys(text.trim()).corrected.find(({ country }) => country === 'BR');
  return meant ? { cnpj: formatTaxId(meant), path: pathOf(meant.taxId) } : null;
}
