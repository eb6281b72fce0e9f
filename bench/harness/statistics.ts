/** Statistics of a number that is measured once in each round. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/**
 * The `q` quantile (0–1) by the nearest-rank method.
 * @throws RangeError for no values
 */
export function quantile(values: ArrayLike<number>, q: number): number {
  const sorted = Float64Array.from(values).sort();
  const value = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('no values to take a quantile of');
  return value;
}

/** Returns median, minimum and maximum. The median of an even count is the mean of the middle two. @throws RangeError for no values */
export function summarise(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (low === undefined || high === undefined || min === undefined || max === undefined) throw new RangeError('no values to summarise');
  return { median: (low + high) / 2, min, max };
}

/**
 * Divides `ours` by `theirs` round by round. The runs of one round are adjacent, so that a temporary slowdown of the machine affects both.
 * @throws RangeError for unequal counts or none
 */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Summary {
  if (ours.length !== theirs.length) throw new RangeError('a ratio needs equal numbers of rounds');
  return summarise(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}
