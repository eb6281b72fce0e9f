import { BRASILIA_OFFSET_MS, DAY_MS, isoDate } from '../../../../domain/time.ts';
import type { Slice } from '../../store.ts';
import { monthAfter } from '../months.ts';

/** Days of publication that make one slice of the index, ISO, both included. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

/** Days of the month that windows begin on. The portal itself has some 6,000 contracts a day, and a window is lost with any of its pages. */
export const FIVE_DAYS = [1, 6, 11, 16, 21, 26] as const;
export const WHOLE_MONTH = [1] as const;

const dayOf = (month: string, day: number): string => `${month}-${String(day).padStart(2, '0')}`;

/** The slices of a month that have begun by `today`, newest first: `orders/2026-11/06` begins on the 6th, `orders/2026-11` is all of it. */
export const slicesOf = (month: string, starts: readonly number[], today: string): readonly string[] =>
  starts
    .filter((start) => dayOf(month, start) <= today)
    .map((start) => (starts.length === 1 ? `orders/${month}` : `orders/${dayOf(month, start).replace(/-(\d\d)$/, '/$1')}`))
    .reverse();

/** A slice's days, those after `today` left out. */
export function windowOf(slice: string, starts: readonly number[], today: string): Window {
  const [, month = '', start = '01'] = slice.split('/');
  const next = starts.find((one) => one > Number(start));
  const end = dayBefore(next === undefined ? dayOf(monthAfter(month, 1), 1) : dayOf(month, next));
  return { from: `${month}-${start}`, to: end < today ? end : today };
}

const dayBefore = (day: string): string => isoDate(Date.parse(day) - DAY_MS);

/**
 * Share of a window's age after which it is read again: contracts are corrected and withdrawn long after they were published, and a
 * list of what was changed would not name those withdrawn. A week's are read again after a day, a year's after six weeks.
 */
const REREAD_SHARE = 1 / 8;

/** True when a window must be read: never read before, still growing, or read too long ago for its age. */
export function isDue(known: Pick<Slice, 'loadedAt'> | null, { to }: Window, now: number): boolean {
  if (!known) return true;
  const age = Math.max(0, now + BRASILIA_OFFSET_MS - (Date.parse(to) + DAY_MS));
  return now - known.loadedAt >= age * REREAD_SHARE;
}
