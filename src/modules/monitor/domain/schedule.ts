import { MINUTE_MS, SECOND_MS } from '../../../domain/time.ts';

/** When a watched company is looked at. Times are epoch ms, `interval` is that of QUIPU_MONITOR_INTERVAL in ms. */

const LONGEST_TICK_MS = 15 * SECOND_MS;
const SHORTEST_TICK_MS = 250;
/** Up to here there is nothing to spread: all companies are looked at together. */
const TOGETHER_MS = MINUTE_MS;
const LONGEST_RETRY_MS = 30 * MINUTE_MS;
const GOLDEN_RATIO = 0.618_033_988_749_895;

/** Between two looks at what is due. */
export const tickMs = (interval: number): number => Math.min(Math.max(interval / 4, SHORTEST_TICK_MS), LONGEST_TICK_MS);

/**
 * First regular check after the baseline: within the second half of an interval. Multiples of the golden ratio fall evenly between
 * those before them, so any number of companies is spread, also those that were added at once.
 * @param number the company's own, counted up
 */
export function firstRegularCheck(baselineAt: number, number: number, interval: number): number {
  const spread = interval <= TOGETHER_MS ? 1 : (1 + ((number * GOLDEN_RATIO) % 1)) / 2;
  return baselineAt + interval * spread;
}

/** The next moment of a company's rhythm that lies ahead: what was missed meanwhile is not made up for. */
export const nextRegularCheck = (anchorAt: number, interval: number, now: number): number =>
  anchorAt + interval * (Math.floor(Math.max(0, now - anchorAt) / interval) + 1);

/** The next check after `failures` in a row: a minute, two, four, … at most half an hour, and never later than the rhythm has it. */
export function nextCheckAfterFailure(
  { failures, anchorAt }: { readonly failures: number; readonly anchorAt: number },
  { interval, now, random }: { readonly interval: number; readonly now: number; readonly random: number },
): number {
  const wait = Math.min(MINUTE_MS * 2 ** (failures - 1), LONGEST_RETRY_MS, interval) * (0.9 + 0.2 * random);
  return Math.min(now + wait, nextRegularCheck(anchorAt, interval, now));
}
