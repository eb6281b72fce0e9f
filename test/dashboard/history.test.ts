import { describe, expect, it } from 'vitest';
import {
  changeBars,
  daysOfWeeks,
  levelBars,
  levelValues,
  type PortfolioDay,
  spansBetween,
  startOf,
} from '../../dashboard/state/history.ts';
import { axisOf, labelled, stackOf } from '../../dashboard/ui/plot/scale.ts';

const day = (date: string, groups: PortfolioDay['groups'] = []): PortfolioDay => ({ day: date, isMadeUp: false, groups });

describe('the axis of a plot', () => {
  it.each([
    [0, 1, [0, 1]],
    [1, 1, [0, 1]],
    [2, 2, [0, 1, 2]],
    [3, 4, [0, 2, 4]],
    [10, 10, [0, 5, 10]],
    [11, 20, [0, 10, 20]],
    [99, 100, [0, 50, 100]],
    [601, 800, [0, 400, 800]],
  ])('for %d ends at %d', (max, top, ticks) => {
    expect(axisOf(max)).toEqual({ top, ticks });
  });

  it('stacks the values of a bar without gaps, and leaves zeros out', () => {
    expect(stackOf([1, 0, 3], axisOf(4))).toEqual([
      { series: 0, from: 0, to: 0.25 },
      { series: 2, from: 0.25, to: 1 },
    ]);
  });

  it('labels the first and the last bar, and one between them', () => {
    expect([labelled(0, 3), labelled(1, 3), labelled(3, 3), labelled(12, 3)]).toEqual([[], [0], [0, 1, 2], [0, 6, 11]]);
  });
});

describe('spans of time', () => {
  it('begin on Monday, on the first of the month, or with the day', () => {
    expect([startOf('2026-11-22', 'week'), startOf('2026-11-23', 'week'), startOf('2026-11-29', 'week')]).toEqual([
      '2026-11-16',
      '2026-11-23',
      '2026-11-23',
    ]);
    expect([startOf('2026-11-22', 'month'), startOf('2026-11-22', 'day')]).toEqual(['2026-11-01', '2026-11-22']);
  });

  it('follow one another across months and years', () => {
    expect(spansBetween('2026-12-30', '2027-01-12', 'week')).toEqual(['2026-12-28', '2027-01-04', '2027-01-11']);
    expect(spansBetween('2026-11-30', '2027-03-01', 'month')).toEqual([
      '2026-11-01',
      '2026-12-01',
      '2027-01-01',
      '2027-02-01',
      '2027-03-01',
    ]);
    expect(spansBetween('2028-02-28', '2028-03-01', 'day')).toEqual(['2028-02-28', '2028-02-29', '2028-03-01']);
  });

  it('are read from the Monday of the first week until today', () => {
    expect([daysOfWeeks('2026-11-23', 1), daysOfWeeks('2026-11-29', 1), daysOfWeeks('2026-11-24', 2)]).toEqual([1, 7, 9]);
  });
});

describe('the levels over time', () => {
  it('are those of the last snapshot of each span, and a span without one is not known', () => {
    const [first, last] = [day('2026-11-02'), day('2026-11-07')];
    expect(levelBars([first, day('2026-11-03'), last, day('2026-11-20')], 'week', '2026-11-24')).toEqual([
      { start: '2026-11-02', day: last },
      { start: '2026-11-09', day: null },
      { start: '2026-11-16', day: day('2026-11-20') },
      { start: '2026-11-23', day: null },
    ]);
    expect(levelBars([], 'week', '2026-11-24')).toEqual([]);
  });

  it('have a low level that is not complete apart, and companies without a verdict', () => {
    const groups = [
      { riskLevel: 'HIGH', completeness: 'PARTIAL', companies: 1 },
      { riskLevel: 'HIGH', completeness: 'COMPLETE', companies: 2 },
      { riskLevel: 'MEDIUM', completeness: 'COMPLETE', companies: 3 },
      { riskLevel: 'LOW', completeness: 'COMPLETE', companies: 4 },
      { riskLevel: 'LOW', completeness: 'PARTIAL', companies: 5 },
      { riskLevel: 'LOW', completeness: 'INSUFFICIENT', companies: 6 },
      { riskLevel: null, completeness: null, companies: 7 },
    ] as const;
    expect(levelValues(day('2026-11-21', groups))).toEqual([3, 3, 4, 11, 7]);
  });
});

describe('the changes per week', () => {
  it('are summed by kind from the week of the first one; a later week without a change has none', () => {
    const days = [
      { day: '2026-11-04', field: 'STATUS', changes: 2 },
      { day: '2026-11-08', field: 'ADDRESS', changes: 1 },
      { day: '2026-11-08', field: 'OWNERS', changes: 4 },
      { day: '2026-11-16', field: 'DEBARMENT', changes: 3 },
      { day: '2026-11-16', field: 'CONTRACT_FINES', changes: 1 },
      { day: '2026-11-16', field: 'CANDIDATE', changes: 5 },
    ] as const;
    expect(changeBars(days, '2026-11-21')).toEqual([
      { start: '2026-11-02', values: [3, 4, 0, 0] },
      { start: '2026-11-09', values: [0, 0, 0, 0] },
      { start: '2026-11-16', values: [0, 0, 4, 5] },
    ]);
    expect(changeBars([], '2026-11-21')).toEqual([]);
  });
});
