import type { RegistrationStatus } from '../../domain/company.ts';
import { daysBetween } from '../../domain/time.ts';

export const REVENUE_TIERS = ['micro', 'small', 'medium', 'large'] as const;
/** Size by yearly sales, in the classes of the Chilean tax registry. */
export type RevenueTier = (typeof REVENUE_TIERS)[number];

/** Risk signals in the order of the answer. */
export const RISK_SIGNALS = ['tax_debtor', 'inactive_company', 'recently_deregistered', 'new_company', 'micro_revenue_tier'] as const;
export type RiskSignal = (typeof RISK_SIGNALS)[number];

/** A bracket of yearly sales, in UF: more than `overUf`, up to `upToUf`; null for no upper limit. */
export interface SalesBracket {
  /** 2–13, as numbered by the registry. */
  readonly number: number;
  readonly overUf: number;
  readonly upToUf: number | null;
}

/** Debts of one company on the list of tax debtors. */
export interface TaxDebt {
  readonly owed: boolean;
  /** Sum of all debts in CLP; null without debts, or if the list states no amount. */
  readonly amount: number | null;
  /** ISO date of the newest debt; null without debts or without dates. */
  readonly asOf: string | null;
}

/** Tax status of a Chilean company. For an unknown company the status is `not_found` and the other fields are null or empty. */
export interface TaxHealth {
  readonly companyName: string | null;
  readonly status: RegistrationStatus;
  /** True for a tax debtor; null if no list of debtors could be read, which does not mean "no debts". */
  readonly taxDebtor: boolean | null;
  /** Amount in CLP; null if the company is not a known debtor, or the list states no amount. */
  readonly taxDebtAmount: number | null;
  /** ISO date of the newest debt, from the list. */
  readonly taxDebtAsOf: string | null;
  /** True when a list of debtors was read. */
  readonly debtorsChecked: boolean;
  /** ISO date of the list of debtors; null if it was not read, or has no date. */
  readonly debtorsAsOf: string | null;
  /** Whole years since its first tax registration, also for a company that ended its activities. */
  readonly companyAgeYears: number | null;
  /** ISO date of the end of its activities; null while active. */
  readonly deregisteredAt: string | null;
  /** Tier of yearly sales; null if the registry states no sales, which does not mean zero sales. */
  readonly revenueTier: RevenueTier | null;
  readonly salesBracket: SalesBracket | null;
  readonly riskSignals: readonly RiskSignal[];
  readonly source: 'sii';
}

/** Number of days for which an end of activities is recent, including the last day. */
const RECENT_END_DAYS = 365;
/** A company is new while its age in days is below this number. */
const NEW_COMPANY_DAYS = 365;

/** Upper limits of brackets 2 to 12, in UF. Bracket 1 means "not informed"; 13 has no limit. */
const UPPER_ENDS = [200, 600, 2_400, 5_000, 10_000, 25_000, 50_000, 100_000, 200_000, 600_000, 1_000_000];

/** Maps the registry's bracket number to its range; null for 1 (sales not informed), for an unknown number and for null. */
export function salesBracket(number: number | null): SalesBracket | null {
  if (number === null || number < 2 || number > 13) return null;
  return { number, overUf: UPPER_ENDS[number - 3] ?? 0, upToUf: UPPER_ENDS[number - 2] ?? null };
}

/** Maps a bracket to its tier: 2–4 micro (up to 2,400 UF), 5–7 small (25,000), 8–9 medium (100,000), 10–13 large. */
export function revenueTier({ number }: SalesBracket): RevenueTier {
  if (number <= 4) return 'micro';
  if (number <= 7) return 'small';
  return number <= 9 ? 'medium' : 'large';
}

/** Returns the completed years from one ISO date to another; 0 for a future date. */
export function wholeYears(from: string, to: string): number {
  const years = Number(to.slice(0, 4)) - Number(from.slice(0, 4));
  return Math.max(0, to.slice(4) < from.slice(4) ? years - 1 : years);
}

/** Input of the risk signals. Dates are ISO; `today` is the date in Chile. */
export interface RiskFacts extends Pick<TaxHealth, 'status' | 'taxDebtor' | 'deregisteredAt' | 'revenueTier'> {
  readonly foundedOn: string | null;
  readonly today: string;
}

/** Returns the risk signals of a company, in the order of `RISK_SIGNALS`. */
export function riskSignals({ status, taxDebtor, deregisteredAt, revenueTier: tier, foundedOn, today }: RiskFacts): readonly RiskSignal[] {
  const present: Readonly<Record<RiskSignal, boolean>> = {
    tax_debtor: taxDebtor === true,
    inactive_company: status === 'inactive',
    recently_deregistered: deregisteredAt !== null && daysBetween(deregisteredAt, today) <= RECENT_END_DAYS,
    new_company: foundedOn !== null && daysBetween(foundedOn, today) < NEW_COMPANY_DAYS,
    micro_revenue_tier: tier === 'micro',
  };
  return RISK_SIGNALS.filter((signal) => present[signal]);
}
