import { isProblem, readCnpj } from '../../src/domain/tax-id.ts';

/** Path of the page of a company by the CNPJ that a person typed, with or without punctuation; null for a text that is no CNPJ. */
export function pathOfCnpj(text: string): string | null {
  const cnpj = readCnpj(text.trim());
  return isProblem(cnpj) ? null : `/dashboard/company/BR/${cnpj}`;
}
