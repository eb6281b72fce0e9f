import { describe, expect, it } from 'vitest';
import { isTimeZone } from '../../../../src/domain/time.ts';
import { nextTime, reachedDay, timeOf } from '../../../../src/modules/monitor/domain/daily-time.ts';

const at = (text: string): number => Date.parse(text);
const utc = (ms: number): string => new Date(ms).toISOString();

describe('the time of a daily mail', () => {
  it.each([
    ['a zone without summer time', '2026-11-28', 'America/Bogota', 7, '2026-11-28T12:00:00.000Z'],
    ['summer', '2026-07-01', 'Europe/Madrid', 7, '2026-07-01T05:00:00.000Z'],
    ['winter', '2026-12-01', 'Europe/Madrid', 7, '2026-12-01T06:00:00.000Z'],
    ['an hour that is skipped', '2026-03-29', 'Europe/Madrid', 2, '2026-03-29T01:00:00.000Z'],
    ['an hour that occurs twice', '2026-10-25', 'Europe/Madrid', 2, '2026-10-25T00:00:00.000Z'],
    ['a midnight that is skipped', '2026-09-06', 'America/Santiago', 0, '2026-09-06T04:00:00.000Z'],
    ['an offset of half an hour', '2026-11-28', 'Asia/Kolkata', 7, '2026-11-28T01:30:00.000Z'],
    ['a day that begins before that of UTC', '2026-11-28', 'Pacific/Auckland', 7, '2026-11-27T18:00:00.000Z'],
  ])('is the local hour in %s', (_, day, timeZone, hour, expected) => {
    expect(utc(timeOf(day, { timeZone, hour }))).toBe(expected);
  });

  it('is later today, or tomorrow once the hour has passed', () => {
    const daily = { timeZone: 'America/Bogota', hour: 7 };
    expect(utc(nextTime(at('2026-11-28T11:59:00Z'), daily, null))).toBe('2026-11-28T12:00:00.000Z');
    expect(utc(nextTime(at('2026-11-28T12:00:00Z'), daily, null))).toBe('2026-11-29T12:00:00.000Z');
  });

  it('is of a later day than the last mail, however the hour was changed', () => {
    const later = { timeZone: 'America/Bogota', hour: 20 };
    expect(utc(nextTime(at('2026-11-28T15:00:00Z'), later, '2026-11-28'))).toBe('2026-11-30T01:00:00.000Z');
  });

  it('is of the day before until the hour, so that a late mail does not take the place of the next one', () => {
    const daily = { timeZone: 'America/Bogota', hour: 7 };
    expect(reachedDay(at('2026-11-28T11:59:00Z'), daily)).toBe('2026-11-27');
    expect(reachedDay(at('2026-11-28T12:00:00Z'), daily)).toBe('2026-11-28');
    expect(utc(nextTime(at('2026-11-28T11:59:00Z'), daily, '2026-11-27'))).toBe('2026-11-28T12:00:00.000Z');
  });

  it('is 365 times in a year, in a zone with summer time, on days that follow each other', () => {
    const daily = { timeZone: 'America/Santiago', hour: 0 };
    const days: string[] = [];
    for (let last = at('2026-01-01T12:00:00Z'); days.length < 365; ) {
      last = nextTime(last, daily, days.at(-1) ?? null);
      days.push(reachedDay(last, daily));
    }
    expect(new Set(days).size).toBe(365);
    expect(days.at(-1)).toBe('2027-01-01');
  });
});

it.each(['America/Sao_Paulo', 'UTC', 'Europe/Lisbon'])('%s is a time zone', (name) => {
  expect(isTimeZone(name)).toBe(true);
});

it.each(['', '+03:00', 'Mars/Olympus', 'America', `A${'a'.repeat(100)}`, 'Europe/Lisbon\r\nBcc: x'])('%j is none', (name) => {
  expect(isTimeZone(name)).toBe(false);
});
