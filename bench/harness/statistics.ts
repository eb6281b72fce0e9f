/** A figure taken once a round. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/**
 * The smallest value that at least the share `q` (0–1) of the values does not exceed (nearest rank).
 * @throws RangeError for no values
 */
export function quantile(values: ArrayLike<number>, q: number): number {
  const sorted = Float64Array.from(values).sort();
  const value = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('no values to take a quantile of');
  return value;
}

/** Median (of an even count: the mean of the two in the middle), least and greatest. @throws RangeError for no values */
export function summarise(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (low === undefined || high === undefined || min === undefined || max === undefined) throw new RangeError('no values to summarise');
  return { median: (low + high) / 2, min, max };
}

/**
 * How many times `ours` is `theirs`, round by round: the two of one round ran next to each other, so a machine that slows down
 * for a while slows both. @throws RangeError for unequal counts or none
 */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Summary {
  if (ours.length !== theirs.length) throw new RangeError('a ratio takes as many rounds of the one as of the other');
  return summarise(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}
