import type { Completeness, RiskLevel } from '../../../domain/compliance.ts';
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
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

/** Waits before the second and each further attempt to complete the snapshot of a day. Their number is that of the further attempts. */
const RETRY_AFTER_MS: readonly number[] = [HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS, 8 * HOUR_MS];

/** Wait after an attempt that left companies without a verdict, in ms; null after the last attempt of a day. @param attempts at least 1 */
export const retryAfterMs = (attempts: number): number | null => RETRY_AFTER_MS[attempts - 1] ?? null;

/** Number of companies of a snapshot that have a level, and of those whose level is complete. */
const knownOf = (groups: readonly LevelGroup[]): readonly [levels: number, complete: number] => {
  const sum = (those: readonly LevelGroup[]): number => those.reduce((total, { companies }) => total + companies, 0);
  return [sum(groups.filter(({ riskLevel }) => riskLevel !== null)), sum(groups.filter(({ completeness }) => completeness === 'complete'))];
};

/** True if a snapshot may replace an earlier one of its day: it has more levels, or as many and at least as many complete ones. */
export function mayReplace(earlier: readonly LevelGroup[], later: readonly LevelGroup[]): boolean {
  const [before, completeBefore] = knownOf(earlier);
  const [after, completeAfter] = knownOf(later);
  return after > before || (after === before && completeAfter >= completeBefore);
}

/** Counts verdicts by level and completeness. */
export const groupsOf = (verdicts: readonly Verdict[]): readonly LevelGroup[] =>
  [...Map.groupBy(verdicts, (verdict) => (verdict ? `${verdict.riskLevel} ${verdict.completeness}` : ''))].map(([, those]) => ({
    riskLevel: those[0]?.riskLevel ?? null,
    completeness: those[0]?.completeness ?? null,
    companies: those.length,
  }));
