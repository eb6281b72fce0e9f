import type { Country } from './company.ts';

/** The five checks of the consolidated check of a Brazilian company, in the order in which the API lists failed ones. */
export const CHECKS = ['kyb', 'sanctions', 'debarment', 'labor', 'owners'] as const;

/** The checks of all countries. */
export const ALL_CHECKS = [...CHECKS, 'tax_health', 'contract_fines'] as const;
export type CheckName = (typeof ALL_CHECKS)[number];

/** The checks of each country, in the order in which the API lists failed ones. */
export const CHECKS_OF = {
  BR: CHECKS,
  CL: ['kyb', 'sanctions', 'owners', 'tax_health'],
  CO: ['kyb', 'sanctions', 'owners', 'contract_fines'],
} as const satisfies Record<Country, readonly CheckName[]>;

export type RiskLevel = 'low' | 'medium' | 'high';

/** Extent of the check. A `low` risk that is not `complete` does not mean that the company is clean. */
export type Completeness = 'complete' | 'partial' | 'insufficient';

/** Kinds of findings behind a risk level. Codes do not change. */
export const FINDING_CODES = ['match', 'listed', 'record', 'fine', 'tax_debtor', 'inactive', 'not_renewed', 'not_found'] as const;
export type FindingCode = (typeof FINDING_CODES)[number];
