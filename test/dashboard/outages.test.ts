import { expect, it } from 'vitest';
import { outageBars, PERIODS } from '../../dashboard/state/outages.ts';

const NOW = Date.parse('2026-11-21T13:30:00Z');
const point = (from: string) => ({ from, calls: 3, failed: 1, medianMs: 5, slowMs: 9 });

it.each([
  [0, 24, '2026-11-20T14:00:00.000Z', '2026-11-21T13:00:00.000Z'],
  [1, 28, '2026-11-14T18:00:00.000Z', '2026-11-21T12:00:00.000Z'],
  [2, 30, '2026-10-23T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
] as const)('the period %d has %d spans until now', (period, count, first, last) => {
  const bars = outageBars([], PERIODS[period], NOW);
  const times = bars.map(({ at }) => new Date(at).toISOString());
  expect([times.length, times[0], times.at(-1)]).toEqual([count, first, last]);
});

it('a span without a call is not known', () => {
  const found = point('2026-11-21T12:00:00+00:00');
  expect(outageBars([found], PERIODS[0], NOW).slice(-3)).toEqual([
    { at: Date.parse('2026-11-21T11:00:00Z'), point: null },
    { at: Date.parse('2026-11-21T12:00:00Z'), point: found },
    { at: Date.parse('2026-11-21T13:00:00Z'), point: null },
  ]);
});
