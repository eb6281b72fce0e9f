import { expect, it } from 'vitest';
import { madeUpLevels } from '../../sandbox/world/portfolio-history.ts';
import { daysBetween, isoDate } from '../../src/domain/time.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

it('the made-up levels are of twelve weeks before today, one snapshot a day, and none of today', () => {
  const days = madeUpLevels(20, NOW);
  expect([days.length, days[0]?.day, days.at(-1)?.day]).toEqual([84, '2026-08-29', '2026-11-20']);
  expect(days.every(({ day }, i) => i === 0 || daysBetween(days[i - 1]?.day ?? '', day) === 1)).toBe(true);
  expect(days.every(({ day, isMadeUp }) => isMadeUp && day < isoDate(NOW))).toBe(true);
});

it.each([1, 4, 20])('the made-up levels of %d companies count each of them once at the end, and never a negative number', (companies) => {
  const sums = madeUpLevels(companies, NOW).map(({ groups }) => groups.reduce((sum, group) => sum + group.companies, 0));
  expect([sums.at(-1), Math.min(...sums) > 0, Math.max(...sums)]).toEqual([companies, true, companies]);
  expect(madeUpLevels(companies, NOW).every(({ groups }) => groups.every((group) => group.companies > 0))).toBe(true);
});
