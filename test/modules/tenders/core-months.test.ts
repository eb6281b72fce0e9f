import { describe, expect, it } from 'vitest';
import { coverageMessages } from '../../../src/messages/coverage.ts';
import { inRanges, monthAfter, monthsBack } from '../../../src/modules/tenders/sources/index-plan.ts';

const written = (months: readonly string[]): string => coverageMessages.notIndexed({ months: inRanges(months) }).in('en');

describe('months', () => {
  it.each([
    ['2026-11', 1, '2026-12'],
    ['2026-12', 1, '2027-01'],
    ['2026-01', -1, '2025-12'],
    ['2026-11', -11, '2025-12'],
    ['2026-11', -120, '2016-11'],
  ])('of %s and %i is %s', (month, count, expected) => {
    expect(monthAfter(month, count)).toBe(expected);
  });

  it('are listed from the newest to the oldest', () => {
    expect(monthsBack('2026-02', '2025-11')).toEqual(['2026-02', '2026-01', '2025-12', '2025-11']);
    expect(monthsBack('2026-02', '2026-02')).toEqual(['2026-02']);
    expect(monthsBack('2026-02', '2026-03')).toEqual([]);
  });

  it('are printed as ranges', () => {
    expect(written(['2026-03', '2025-12', '2026-01', '2026-05', '2026-02'])).toBe('Not indexed yet: 2025-12 to 2026-03, 2026-05.');
    expect(written(['2026-03'])).toBe('Not indexed yet: 2026-03.');
  });
});
