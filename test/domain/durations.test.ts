import { describe, expect, it } from 'vitest';
import { addDurations, durationClass, noDurations, quantileOf } from '../../src/domain/durations.ts';

/** Counts of durations in ms. */
const countsOf = (durations: readonly number[]) => {
  const counts = noDurations();
  for (const ms of durations) counts[durationClass(ms)] = (counts[durationClass(ms)] ?? 0) + 1;
  return counts;
};

describe('quantiles of counted durations', () => {
  it('are null without a duration', () => {
    expect(quantileOf(noDurations(), 0.5)).toBeNull();
  });

  it.each([
    [[40], 0.5, 20, 50],
    [[1, 1, 1, 4_000], 0.5, 0, 5],
    [[1, 1, 1, 4_000], 0.95, 3_000, 5_000],
    [Array.from({ length: 100 }, (_, i) => (i + 1) * 10), 0.5, 450, 550],
    [Array.from({ length: 100 }, (_, i) => (i + 1) * 10), 0.95, 900, 1_000],
  ])('of %j lie in the class of the duration', (durations, share, from, to) => {
    const found = quantileOf(countsOf(durations), share) ?? Number.NaN;
    expect([found >= from, found <= to]).toEqual([true, true]);
  });

  it('of durations above the last class are its bound', () => {
    expect(quantileOf(countsOf([10_000_000]), 0.95)).toBe(60_000);
  });

  it('are those of all added counts, also of a release with fewer classes', () => {
    const sum = addDurations([countsOf([1, 3]), countsOf([1, 90_000]), [5]]);
    expect([sum[0], sum.at(-1), sum.length]).toEqual([8, 1, noDurations().length]);
  });
});
