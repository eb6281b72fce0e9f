import type { RegistrationStatus } from '../../domain/registration.ts';
import { daysBetween } from '../../domain/time.ts';

export const REVENUE_TIERS = ['micro', 'small', 'medium', 'large'] as const;
/** Size by yearly sales, as the Chilean tax registry classes companies. */
export type RevenueTier = (typeof REVENUE_TIERS)[number];

/** Risk signals in the order of the answer. */
export const RISK_SIGNALS = ['tax_debtor', 'inactive_company', 'recently_deregistered', 'new_company', 'micro_revenue_tier'] as const;
export type RiskSignal = (typeof RISK_SIGNALS)[number];

/** A class of yearly sales, in UF: more than `overUf`, up to `upToUf`; null for no upper end. */
export interface SalesBracket {
  /** 2–13, the registry's own number. */
  readonly number: number;
  readonly overUf: number;
  readonly upToUf: number | null;
}

/** What a list of tax debtors says of a company. */
export interface TaxDebt {
  readonly owed: boolean;
  /** CLP, all of its debts together; null where none is owed or no amount is stated. */
  readonly amount: number | null;
  /** ISO date of the newest debt; null where none is owed or dated. */
  readonly asOf: string | null;
}

/** Tax standing of a Chilean company. An unknown company is an answer, `not_found`, with nothing else in it. */
export interface TaxHealth {
  readonly companyName: string | null;
  readonly status: RegistrationStatus;
  /** Null where no list of debtors could be seen, which is not "no debts". */
  readonly taxDebtor: boolean | null;
  /** CLP; null where the company is no known debtor, or the list states no amount. */
  readonly taxDebtAmount: number | null;
  /** ISO date that the list gives for the newest debt. */
  readonly taxDebtAsOf: string | null;
  /** True when a list of debtors was seen. */
  readonly debtorsChecked: boolean;
  /** ISO date of the list of debtors; null where it was not seen, or is not dated. */
  readonly debtorsAsOf: string | null;
  /** Whole years since its first tax registration, ended or not. */
  readonly companyAgeYears: number | null;
  /** ISO date of the end of its activities; null while they go on. */
  readonly deregisteredAt: string | null;
  /** Null where its sales are not informed, which is not zero sales. */
  readonly revenueTier: RevenueTier | null;
  readonly salesBracket: SalesBracket | null;
  readonly riskSignals: readonly RiskSignal[];
  readonly source: 'sii';
}

/** An end of activities counts as recent up to so many days. */
export const RECENT_END_DAYS = 365;
/** A company is new for fewer days than this. */
export const NEW_COMPANY_DAYS = 365;

/** Upper ends of brackets 2 to 12, in UF. Bracket 1 is "not informed"; 13 has none. */
const UPPER_ENDS = [200, 600, 2_400, 5_000, 10_000, 25_000, 50_000, 100_000, 200_000, 600_000, 1_000_000];

/** The registry's bracket 1–13 → its range; null where sales are not informed (1) or the number is none of theirs. */
export function salesBracket(number: number | null): SalesBracket | null {
  if (number === null || number < 2 || number > 13) return null;
  return { number, overUf: UPPER_ENDS[number - 3] ?? 0, upToUf: UPPER_ENDS[number - 2] ?? null };
}

/** Brackets 2–4 micro (up to 2,400 UF), 5–7 small (25,000), 8–9 medium (100,000), 10–13 large. */
export function revenueTier({ number }: SalesBracket): RevenueTier {
  if (number <= 4) return 'micro';
  if (number <= 7) return 'small';
  return number <= 9 ? 'medium' : 'large';
}

/** Whole years from an ISO date to another, as birthdays count them; 0 for a date still to come. */
export function wholeYears(from: string, to: string): number {
  const years = Number(to.slice(0, 4)) - Number(from.slice(0, 4));
  return Math.max(0, to.slice(4) < from.slice(4) ? years - 1 : years);
}

/** What the signals follow from. Dates are ISO; `today` is the date in Chile. */
export interface Signs extends Pick<TaxHealth, 'status' | 'taxDebtor' | 'deregisteredAt' | 'revenueTier'> {
  readonly foundedOn: string | null;
  readonly today: string;
}

/** Returns the risk signals of a company, in the order of `RISK_SIGNALS`. */
export function riskSignals({ status, taxDebtor, deregisteredAt, revenueTier: tier, foundedOn, today }: Signs): readonly RiskSignal[] {
  const signs: Readonly<Record<RiskSignal, boolean>> = {
    tax_debtor: taxDebtor === true,
    inactive_company: status === 'inactive',
    recently_deregistered: deregisteredAt !== null && daysBetween(deregisteredAt, today) <= RECENT_END_DAYS,
    new_company: foundedOn !== null && daysBetween(foundedOn, today) < NEW_COMPANY_DAYS,
    micro_revenue_tier: tier === 'micro',
  };
  return RISK_SIGNALS.filter((signal) => signs[signal]);
}
