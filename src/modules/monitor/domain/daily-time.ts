import { DAY_MS, HOUR_MS, isoDate } from '../../../domain/time.ts';

/** A time of the day at a place. */
export interface DailyTime {
  /** Name of the IANA time zone database, such as `America/Bogota`. */
  readonly timeZone: string;
  /** Hour of the day, 0 to 23. */
  readonly hour: number;
}

/** Returns the local day of a time (epoch ms): `2026-11-28`. */
const localDay = (ms: number, timeZone: string): string => isoDate(ms + offsetAt(ms, timeZone));

/** Returns the day that is some days after a day. */
const dayAfter = (day: string, days = 1): string => isoDate(Date.parse(day) + days * DAY_MS);

/** Returns the UTC offset of a time zone at a time, in ms. */
function offsetAt(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(ms);
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((one) => one.type === type)?.value);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return local - Math.floor(ms / 1_000) * 1_000;
}

/**
 * Returns the time (epoch ms) at which a day reaches an hour. For an hour that occurs twice, at the end of summer time, it is the first one.
 * An hour that is skipped, at the start of summer time, is read with the offset before the change: 02:00 becomes 03:00.
 */
export function timeOf(day: string, { timeZone, hour }: DailyTime): number {
  const wall = Date.parse(day) + hour * HOUR_MS;
  const offsets = [offsetAt(wall - DAY_MS, timeZone), offsetAt(wall + DAY_MS, timeZone)];
  const matching = offsets.map((offset) => wall - offset).filter((ms) => offsetAt(ms, timeZone) === wall - ms);
  return matching.length > 0 ? Math.min(...matching) : wall - (offsets[0] ?? 0);
}

/** Returns the last day that has reached the hour at a time (epoch ms): today, or the day before. */
export function reachedDay(ms: number, daily: DailyTime): string {
  const today = localDay(ms, daily.timeZone);
  return timeOf(today, daily) <= ms ? today : dayAfter(today, -1);
}

/**
 * Returns the next time at which a day reaches the hour, after a time.
 * @param lastDay local day that has had its mail already; null for none. The result is of a later day.
 */
export function nextTime(after: number, daily: DailyTime, lastDay: string | null): number {
  const today = localDay(after, daily.timeZone);
  const first = lastDay !== null && lastDay >= today ? dayAfter(lastDay) : today;
  const time = timeOf(first, daily);
  return time > after ? time : timeOf(dayAfter(first), daily);
}
