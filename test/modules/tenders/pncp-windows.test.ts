import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/domain/time.ts';
import { FIVE_DAYS, isDue, slicesOf, WHOLE_MONTH, windowOf } from '../../../src/modules/tenders/sources/pncp/plan.ts';

describe('the windows by which PNCP is read', () => {
  it('are months, or five days each for the live portal, newest first, without future ones', () => {
    expect(slicesOf('2026-11', WHOLE_MONTH, '2026-11-20')).toEqual(['orders/2026-11']);
    expect(slicesOf('2026-11', FIVE_DAYS, '2026-11-12')).toEqual(['orders/2026-11/11', 'orders/2026-11/06', 'orders/2026-11/01']);
    expect(slicesOf('2026-12', FIVE_DAYS, '2026-11-30')).toEqual([]);
  });

  it.each([
    ['orders/2026-11', WHOLE_MONTH, '2026-11-01', '2026-11-20'],
    ['orders/2026-02', WHOLE_MONTH, '2026-02-01', '2026-02-28'],
    ['orders/2026-11/06', FIVE_DAYS, '2026-11-06', '2026-11-10'],
    ['orders/2026-11/16', FIVE_DAYS, '2026-11-16', '2026-11-20'],
    ['orders/2025-12/26', FIVE_DAYS, '2025-12-26', '2025-12-31'],
  ])('cover for %s its days up to today', (slice, starts, from, to) => {
    expect(windowOf(slice, starts, '2026-11-20')).toEqual({ from, to });
  });

  it('cover every day of a year once', () => {
    const months = Array.from({ length: 12 }, (_, i) => `2027-${String(i + 1).padStart(2, '0')}`);
    const windows = months.flatMap((month) =>
      slicesOf(month, FIVE_DAYS, '2028-01-01').map((slice) => windowOf(slice, FIVE_DAYS, '2028-01-01')),
    );
    const days = windows.reduce((sum, { from, to }) => sum + (Date.parse(to) - Date.parse(from)) / DAY_MS + 1, 0);
    expect([windows.length, days]).toEqual([72, 365]);
  });

  it('are due when never loaded, until they are over, and after an eighth of their age', () => {
    const now = Date.UTC(2026, 10, 21, 3); // midnight in Brasília
    const loaded = (days: number) => ({ loadedAt: now - days * DAY_MS });
    const growing = { from: '2026-11-01', to: '2026-11-21' };
    const old = { from: '2026-10-01', to: '2026-10-27' }; // it ended 24 days ago
    expect(isDue(null, old, now)).toBe(true);
    expect(isDue(loaded(0), growing, now)).toBe(true);
    expect(isDue(loaded(2.9), old, now)).toBe(false);
    expect(isDue(loaded(3), old, now)).toBe(true);
  });
});
