import type { ChangeHistory, PortfolioHistory } from '../api/operations.ts';

const DAY_MS = 86_400_000;

export type PortfolioDay = NonNullable<PortfolioHistory['portfolioHistory']>[number];
export type ChangeDay = NonNullable<ChangeHistory['changeHistory']>[number];

export const SPANS = ['week', 'month', 'day'] as const;
/** Time that one bar of a plot stands for. A week begins on Monday. Days are ISO dates in UTC. */
export type Span = (typeof SPANS)[number];

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
export const addDays = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY_MS);

/** Returns the first day of the span that a day is in. */
export function startOf(day: string, span: Span): string {
  if (span === 'month') return `${day.slice(0, 7)}-01`;
  if (span === 'day') return day;
  const sinceMonday = (new Date(day).getUTCDay() + 6) % 7;
  return addDays(day, -sinceMonday);
}

/** Returns the first days of the spans from the one with the day `from` to the one with `to`. */
export function spansBetween(from: string, to: string, span: Span): readonly string[] {
  const starts: string[] = [];
  for (let start = startOf(from, span); start <= to; start = startOf(addDays(start, span === 'month' ? 31 : span === 'week' ? 7 : 1), span))
    starts.push(start);
  return starts;
}

/** The last snapshot of a span; null if there is none. */
export interface LevelBar {
  /** First day of the span. */
  readonly start: string;
  readonly day: PortfolioDay | null;
}

/** Returns the last snapshot of each span, from the first snapshot until today. A span without a snapshot stays empty: its levels are not known. */
export function levelBars(days: readonly PortfolioDay[], span: Span, today: string): readonly LevelBar[] {
  const last = new Map(days.map((day) => [startOf(day.day, span), day]));
  const first = days[0]?.day;
  return first === undefined ? [] : spansBetween(first, today, span).map((start) => ({ start, day: last.get(start) ?? null }));
}

/** Returns the numbers of companies in the order of the plot: high, medium, low and complete, low and not complete, without a verdict. */
export function levelValues({ groups }: PortfolioDay): readonly number[] {
  const count = (isIn: (group: PortfolioDay['groups'][number]) => boolean): number =>
    groups.filter(isIn).reduce((sum, { companies }) => sum + companies, 0);
  return [
    count(({ riskLevel }) => riskLevel === 'HIGH'),
    count(({ riskLevel }) => riskLevel === 'MEDIUM'),
    count(({ riskLevel, completeness }) => riskLevel === 'LOW' && completeness === 'COMPLETE'),
    count(({ riskLevel, completeness }) => riskLevel === 'LOW' && completeness !== 'COMPLETE'),
    count(({ riskLevel }) => riskLevel === null),
  ];
}

export const CHANGE_KINDS = ['registration', 'owners', 'lists', 'candidates'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

const KIND_OF: Readonly<Partial<Record<ChangeDay['field'], ChangeKind>>> = {
  OWNERS: 'owners',
  SANCTIONS: 'lists',
  DEBARMENT: 'lists',
  LABOR: 'lists',
  CONTRACT_FINES: 'lists',
  CANDIDATE: 'candidates',
};

/** Returns the kind of a field. Fields that are not in the table are of the registration. */
export const kindOf = (field: ChangeDay['field']): ChangeKind => KIND_OF[field] ?? 'registration';

/** The changes of a week by kind, in the order of `CHANGE_KINDS`. */
export interface ChangeBar {
  /** Monday of the week. */
  readonly start: string;
  readonly values: readonly number[];
}

/** Returns the changes by week, from the week of the first counted change until today. Earlier weeks are not known. */
export function changeBars(days: readonly ChangeDay[], today: string): readonly ChangeBar[] {
  const first = days[0]?.day;
  if (first === undefined) return [];
  const byWeek = Map.groupBy(days, ({ day }) => startOf(day, 'week'));
  return spansBetween(first, today, 'week').map((start) => ({
    start,
    values: CHANGE_KINDS.map((kind) =>
      (byWeek.get(start) ?? []).filter(({ field }) => kindOf(field) === kind).reduce((sum, { changes }) => sum + changes, 0),
    ),
  }));
}

/** Returns the number of days from the Monday `weeks - 1` weeks ago until today. */
export const daysOfWeeks = (today: string, weeks: number): number =>
  (Date.parse(today) - Date.parse(startOf(today, 'week'))) / DAY_MS + 1 + (weeks - 1) * 7;
