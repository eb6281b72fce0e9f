/** Upper bounds of the classes of durations, in ms. The last class has all longer ones. */
const BOUNDS = [5, 10, 20, 50, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 30_000, 60_000];

/** Number of durations in each class: counts that can be added up, unlike quantiles. */
export type DurationCounts = readonly number[];

export const noDurations = (): number[] => Array<number>(BOUNDS.length + 1).fill(0);

/** Returns the class of a duration in ms. */
export function durationClass(ms: number): number {
  const found = BOUNDS.findIndex((bound) => ms <= bound);
  return found === -1 ? BOUNDS.length : found;
}

/** Adds counts. Counts with fewer classes, which another release stored, have none in the others. */
export const addDurations = (all: readonly DurationCounts[]): DurationCounts =>
  all.reduce<number[]>((sum, counts) => sum.map((count, i) => count + (counts[i] ?? 0)), noDurations());

/**
 * Estimates a quantile in whole ms, as if the durations of a class were spread evenly over it. A duration above the last bound counts as that
 * bound. Null without any duration.
 * @param share 0.5 for the median
 */
export function quantileOf(counts: DurationCounts, share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = total * share;
  let below = 0;
  for (const [i, count] of counts.entries()) {
    if (count > 0 && below + count >= wanted) {
      const [from, to] = [BOUNDS[i - 1] ?? 0, BOUNDS[i] ?? BOUNDS.at(-1) ?? 0];
      return Math.round(from + ((wanted - below) / count) * (to - from));
    }
    below += count;
  }
  return BOUNDS.at(-1) ?? null;
}
