import { describe, expect, it } from 'vitest';
import { type DayUse, forecastOf, lastDayOf, usageBars } from '../../dashboard/state/forecast.ts';
import { addDays } from '../../dashboard/state/history.ts';

/** Usage of the days before a day, the last one first. */
const daysUntil = (day: string, used: readonly number[]): readonly DayUse[] =>
  used.map((n, i) => ({ day: addDays(day, -1 - i), used: n })).reverse();

describe('the forecast of usage', () => {
  it.each([
    ['nothing', []],
    ['today only', [{ day: '2026-11-21', used: 9 }]],
    ['two complete days', daysUntil('2026-11-21', [5, 5])],
  ])('has no number for %s', (_, uses) => {
    expect(forecastOf(uses, '2026-11-21')).toBeNull();
  });

  it('is what was counted and the mean of the complete days for each day that is left, today included', () => {
    expect(forecastOf(daysUntil('2026-11-21', [4, 2, 6]), '2026-11-21')).toEqual({ perDay: 4, days: 3, total: 12 + 10 * 4 });
  });

  it('has what was counted today where that is more than the mean', () => {
    const uses = [...daysUntil('2026-11-30', [4, 2, 6]), { day: '2026-11-30', used: 50 }];
    expect(forecastOf(uses, '2026-11-30')).toMatchObject({ perDay: 4, total: 62 });
    expect(forecastOf([...uses.slice(0, 3), { day: '2026-11-30', used: 1 }], '2026-11-30')).toMatchObject({ total: 16 });
  });

  it('counts days without usage after the first one, and none before it', () => {
    expect(forecastOf([{ day: '2026-11-17', used: 8 }], '2026-11-21')).toMatchObject({ perDay: 2, days: 4 });
  });

  it('has whole weeks from the seventh day on, and at most four of them', () => {
    const uses = daysUntil('2026-11-30', [7, 0, 0, 0, 0, 0, 0, 100, 100]);
    expect(forecastOf(uses, '2026-11-30')).toMatchObject({ perDay: 1, days: 7 });
    expect(forecastOf(daysUntil('2026-11-30', Array(60).fill(3)), '2026-11-30')).toMatchObject({ perDay: 3, days: 28 });
  });

  it('uses the days of the last month at the beginning of a month, but counts this month only', () => {
    expect(forecastOf(daysUntil('2026-12-01', [10, 10, 10, 10]), '2026-12-01')).toEqual({ perDay: 10, days: 4, total: 310 });
  });
});

describe('the bars of usage', () => {
  it('are the days until today, and until the end of the month with a forecast', () => {
    const uses = [...daysUntil('2026-11-29', [4, 2, 6]), { day: '2026-11-29', used: 1 }];
    expect(usageBars(uses, '2026-11-29', null)).toHaveLength(29);
    expect(usageBars(uses, '2026-11-29', forecastOf(uses, '2026-11-29')).slice(-3)).toEqual([
      { day: '2026-11-28', used: 4, expected: 0 },
      { day: '2026-11-29', used: 1, expected: 3 },
      { day: '2026-11-30', used: 0, expected: 4 },
    ]);
  });

  it('end with the last day of the month', () => {
    expect(['2026-11-01', '2026-12-31', '2028-02-10', '2027-02-28'].map(lastDayOf)).toEqual([
      '2026-11-30',
      '2026-12-31',
      '2028-02-29',
      '2027-02-28',
    ]);
  });
});
