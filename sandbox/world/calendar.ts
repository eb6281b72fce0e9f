import { DAY_MS, isoDate } from '../../src/domain/time.ts';

/** Publication calendars: finds the date of the current edition of a list. Times are epoch ms, days are in UTC. */

export const startOfDay = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

/** Returns the start of the newest day, today included, for which `published` is true. */
export function lastDay(now: number, published: (day: Date) => boolean): number {
  let day = startOfDay(now);
  while (!published(new Date(day))) day -= DAY_MS;
  return day;
}

/** Formats a date as `20261121`. */
export const compactDate = (ms: number): string => isoDate(ms).replaceAll('-', '');

/** Formats a date as `21/11/2026`. */
export const brazilianDate = (ms: number): string => isoDate(ms).split('-').reverse().join('/');

/** Formats a date as `11/21/2026`. */
export function americanDate(ms: number): string {
  const [year, month, day] = isoDate(ms).split('-');
  return `${month}/${day}/${year}`;
}
