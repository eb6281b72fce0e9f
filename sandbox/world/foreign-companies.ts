import { nitCheckDigit } from '../../src/domain/tax-id.ts';

/** A company outside Brazil that only the sanctions lists have, or no list. */
export interface ForeignCompany {
  readonly scenario: string;
  readonly country: 'CL' | 'CO';
  /** Bare tax id, including the check digit. */
  readonly taxId: string;
  readonly name: string;
  readonly note: string;
}

const nit = (base: string): string => base + nitCheckDigit(base);

/** Base of a listed NIT. Its nine digits are also a valid Chilean RUT. */
export const SHARED_DIGITS = '999100007';

export const foreignCompanies: readonly ForeignCompany[] = [
  {
    scenario: 'co-sanctioned',
    country: 'CO',
    taxId: nit('999200001'),
    name: 'COMERCIALIZADORA MACONDO FICTICIO LTDA.',
    note: 'OFAC: its NIT is on the list, with its check digit.',
  },
  {
    scenario: 'co-sanctioned-shared',
    country: 'CO',
    taxId: nit(SHARED_DIGITS),
    name: 'INVERSIONES DOS PATRIAS S.A.S.',
    note: 'OFAC: a NIT whose nine digits are also a valid Chilean RUT.',
  },
  {
    scenario: 'cl-same-digits',
    country: 'CL',
    taxId: SHARED_DIGITS,
    name: 'SOCIEDAD DEL DESIERTO FLORIDO SPA',
    note: 'Clean: a RUT of the same digits as the listed NIT of `co-sanctioned-shared`.',
  },
  { scenario: 'co-clean', country: 'CO', taxId: nit('999300001'), name: 'PANADERIA LA LUNA DE PAPEL S.A.S.', note: 'On no list.' },
];

/** @throws Error for an unknown scenario */
export function foreignCompanyByScenario(scenario: string): ForeignCompany {
  const company = foreignCompanies.find((one) => one.scenario === scenario);
  if (!company) throw new Error(`no such scenario: ${scenario}`);
  return company;
}
