import { afterEach, expect, it, vi } from 'vitest';
import { dateText, dayText } from '../../dashboard/ui/date.ts';

afterEach(() => vi.unstubAllEnvs());

it('the day of a moment is that of the viewer, which is another one than in UTC in the evening of Bogotá', () => {
  vi.stubEnv('TZ', 'America/Bogota');
  expect(dayText('2026-11-30T02:30:00+00:00', 'es')).toBe('29 nov 2026');
  expect(dayText('2026-11-30T05:30:00+00:00', 'en')).toBe('30 Nov 2026');
});

it('a day has the common format, and a year, a month or another text stays as it is printed', () => {
  expect(dateText('1962-05-04', 'en')).toBe('4 May 1962');
  for (const text of ['1962', '1962-05', 'circa 1962', '04 May 1962', '1962-13-40']) expect(dateText(text, 'en')).toBe(text);
});
