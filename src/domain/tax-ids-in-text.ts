import { isPersonsRut, isProblem, readCnpj, readRut, strip } from './tax-id.ts';
import { withPlainDashes } from './text.ts';

/* Tax ids within longer texts. */

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

/** Matches what may be a RUT of a company within a text: eight digits and a check digit, with any punctuation or none. */
const RUT_WITHIN = /(?<!\d)\d{2}[ .]?\d{3}[ .]?\d{3}[ .-]{0,3}(?:\d(?!\d)|K(?![A-Z\d]))/gi;

/** Returns the bare RUTs of companies within a text whose check digits are right, each once. */
export function companyRutsIn(text: string): readonly string[] {
  const read = (withPlainDashes(text.normalize('NFKC')).match(RUT_WITHIN) ?? []).map((one) => readRut(one));
  return [...new Set(read.filter((rut): rut is string => !isProblem(rut) && !isPersonsRut(rut)))];
}
