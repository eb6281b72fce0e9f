import type { CheckedCountry, CheckName } from '../../../domain/compliance.ts';
import type { Debarment } from '../../debarment/domain.ts';
import type { TaxKyb } from '../../kyb/domain.ts';
import type { Labor } from '../../labor/domain.ts';
import type { Owners } from '../../owners/domain.ts';
import type { Sanctions } from '../../sanctions/domain.ts';
import type { TaxHealth } from '../../tax-health/domain.ts';

/** Results of the checks of a company; null for a check that failed, and for one that its country does not have. */
export interface Seen {
  readonly kyb: TaxKyb | null;
  readonly sanctions: Sanctions | null;
  readonly debarment: Debarment | null;
  readonly labor: Labor | null;
  readonly owners: Owners | null;
  readonly tax_health: TaxHealth | null;
}

/** A rule of a verdict: what it looks for in the result of one check, and the level that a finding gives. */
export interface Rule {
  readonly check: CheckName;
  readonly code: 'match' | 'listed' | 'record' | 'tax_debtor' | 'inactive' | 'not_found';
  readonly severity: 'medium' | 'high';
  /** Returns a sentence with the evidence for each finding; none if the rule finds nothing. */
  readonly findings: (seen: Seen) => readonly string[];
}

/** The rules of a country. The version is the date on which they were last changed; answers and receipts state it. */
export interface RuleTable {
  readonly version: string;
  /** Rules in the order of their reasons. */
  readonly rules: readonly Rule[];
}

const sanctionsMatch: Rule = {
  check: 'sanctions',
  code: 'match',
  severity: 'high',
  findings: ({ sanctions }) =>
    byList(sanctions?.matches ?? [], ({ list }) => list).map(
      ([list, matches]) => `${count(matches, 'match', 'matches')} on ${list} (${names(matches.map(({ entryName }) => entryName))})`,
    ),
};

const laborListed: Rule = {
  check: 'labor',
  code: 'listed',
  severity: 'high',
  findings: ({ labor }) =>
    byList(labor?.records ?? [], ({ source }) => source).map(
      ([list, records]) =>
        `${count(records, 'record', 'records')} on ${list} (${names(records.map((r) => `${r.employer}, ${r.year}, ${r.status}`))})`,
    ),
};

const debarmentRecord: Rule = {
  check: 'debarment',
  code: 'record',
  severity: 'medium',
  findings: ({ debarment }) =>
    byList(debarment?.records ?? [], ({ source }) => source).map(
      ([list, records]) =>
        `${count(records, 'record', 'records')} on ${list} (${names(records.map((r) => `${r.sanctionType} by ${r.sanctioningBody}, ${r.status}`))})`,
    ),
};

const taxDebtor: Rule = {
  check: 'tax_health',
  code: 'tax_debtor',
  severity: 'medium',
  findings: ({ tax_health }) =>
    tax_health?.taxDebtor
      ? [`The company is on the list of tax debtors${tax_health.taxDebtAmount === null ? '' : ` (CLP ${tax_health.taxDebtAmount})`}.`]
      : [],
};

const notRegistered = (idName: string): Rule => ({
  check: 'kyb',
  code: 'not_found',
  severity: 'medium',
  findings: ({ kyb }) => (kyb?.status === 'not_found' ? [`The tax registry has no company with this ${idName}.`] : []),
});

const notActive: Rule = {
  check: 'kyb',
  code: 'inactive',
  severity: 'medium',
  findings: ({ kyb }) => (kyb?.status === 'inactive' ? [`The registration is not active (${kyb.registration}).`] : []),
};

/**
 * The rules of each country. Those of Brazil are the contract's: high for any sanctions match or forced-labour record, medium for any
 * debarment record or a registration that is not active.
 */
export const RULES: Readonly<Record<CheckedCountry, RuleTable>> = {
  BR: { version: '2026-01-01', rules: [sanctionsMatch, laborListed, debarmentRecord, notRegistered('CNPJ'), notActive] },
  CL: { version: '2026-11-28', rules: [sanctionsMatch, taxDebtor, notRegistered('RUT'), notActive] },
};

/** Groups findings by their list, in the order of first appearance. */
function byList<T>(findings: readonly T[], listOf: (finding: T) => string): (readonly [string, readonly T[]])[] {
  return [...Map.groupBy(findings, listOf)];
}

const count = (items: readonly unknown[], one: string, many: string): string => `${items.length} ${items.length === 1 ? one : many}`;

/** Joins the first three names, so that a reason stays one sentence. */
const names = (all: readonly string[]): string => (all.length > 3 ? `${all.slice(0, 3).join('; ')}; …` : all.join('; '));
