import { addDays, spansBetween, startOf } from './history.ts';

/** Minimum number of complete days from which a forecast is computed. */
export const MIN_DAYS = 3;
/** Maximum number of complete days that it is computed from. */
const MAX_DAYS = 28;
const WEEK = 7;

/** Answers of a module on a day in UTC. */
export interface DayUse {
  /** ISO date. */
  readonly day: string;
  readonly used: number;
}

/** The expected usage of a module until the end of the month. */
export interface Forecast {
  /** Mean number of answers a day. */
  readonly perDay: number;
  /** Number of complete days that the mean is computed from. */
  readonly days: number;
  /** Expected number of answers of the month, a whole number. */
  readonly total: number;
}

export const lastDayOf = (today: string): string => addDays(startOf(addDays(startOf(today, 'month'), 31), 'month'), -1);

/**
 * Computes the expected usage of this month: what was counted, and the mean of the last complete days for each day that is left. Today counts
 * with what was counted, or the mean if that is more. Complete days begin with the first day with usage. From a week on they are whole weeks, so
 * that each day of the week has the same weight. Null for fewer than three complete days.
 * @param uses days with usage, sorted; absent days have none
 */
export function forecastOf(uses: readonly DayUse[], today: string): Forecast | null {
  const first = uses[0]?.day;
  const complete = first === undefined || first >= today ? [] : spansBetween(first, addDays(today, -1), 'day');
  if (complete.length < MIN_DAYS) return null;
  const kept = Math.min(MAX_DAYS, complete.length);
  const days = kept < WEEK ? kept : kept - (kept % WEEK);
  const from = complete.at(-days) ?? today;
  const sum = (isIn: (day: string) => boolean): number => uses.reduce((all, { day, used }) => all + (isIn(day) ? used : 0), 0);
  const perDay = sum((day) => day >= from && day < today) / days;
  const left = spansBetween(today, lastDayOf(today), 'day').length - 1;
  const counted = sum((day) => day >= startOf(today, 'month') && day < today);
  const ofToday = Math.max(
    perDay,
    sum((day) => day === today),
  );
  return { perDay, days, total: Math.round(counted + ofToday + left * perDay) };
}

/** A day of the month: the counted answers, and those that are still expected. */
export interface UsageBar {
  readonly day: string;
  readonly used: number;
  readonly expected: number;
}

/** Returns the days of this month: until today with what was counted, and until its end with what is expected, if there is a forecast. */
export function usageBars(uses: readonly DayUse[], today: string, forecast: Forecast | null): readonly UsageBar[] {
  const usedOn = new Map(uses.map(({ day, used }) => [day, used]));
  return spansBetween(startOf(today, 'month'), forecast ? lastDayOf(today) : today, 'day').map((day) => {
    const used = usedOn.get(day) ?? 0;
    const expected = forecast && day >= today ? Math.max(0, Math.round(forecast.perDay - used)) : 0;
    return { day, used, expected };
  });
}
