import type { Completeness, RiskLevel } from '../../../domain/compliance.ts';
import { DAY_MS } from '../../../domain/time.ts';
import type { ChangedField } from './change.ts';

/** Time for which numbers by day are kept. They have no data of companies. */
export const HISTORY_KEPT_MS = 400 * DAY_MS;
/** Maximum number of days of a query. */
export const MAX_DAYS = 400;

/** A query for the numbers of a key since a day. */
export interface DaysQuery {
  readonly keyId: string;
  /** ISO date, in UTC. */
  readonly from: string;
}

/** Number of changes of a field on a day in UTC. A change that several monitors of the key report counts once. */
export interface ChangeDay {
  /** ISO date. */
  readonly day: string;
  readonly field: ChangedField;
  readonly changes: number;
}

/** Number of watched companies with a level and a completeness. Both are null for companies without a verdict. */
export interface LevelGroup {
  readonly riskLevel: RiskLevel | null;
  readonly completeness: Completeness | null;
  readonly companies: number;
}

/** The companies that a key watches by risk level, as they were found once on a day in UTC. */
export interface PortfolioDay {
  /** ISO date. */
  readonly day: string;
  /** Without empty groups. */
  readonly groups: readonly LevelGroup[];
  /** True for a day before the start of a sandbox, which the sandbox made up. */
  readonly isMadeUp: boolean;
}

/** The verdict about a watched company; null without one. */
export type Verdict = { readonly riskLevel: RiskLevel; readonly completeness: Completeness } | null;

/** Counts verdicts by level and completeness. */
export const groupsOf = (verdicts: readonly Verdict[]): readonly LevelGroup[] =>
  [...Map.groupBy(verdicts, (verdict) => (verdict ? `${verdict.riskLevel} ${verdict.completeness}` : ''))].map(([, those]) => ({
    riskLevel: those[0]?.riskLevel ?? null,
    completeness: those[0]?.completeness ?? null,
    companies: those.length,
  }));
