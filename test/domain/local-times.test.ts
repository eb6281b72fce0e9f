import { describe, expect, it } from 'vitest';
import { isIsoDate, isoDate, isoWithOffset, localDayIn, localTimeIn, withOffset } from '../../src/domain/time.ts';

describe('a local time with its offset', () => {
  it.each([
    ['CL', '2026-01-15T12:00:00', '-03:00', 'summer in Chile'],
    ['CL', '2026-07-15T12:00:00', '-04:00', 'winter in Chile'],
    ['CL', '2026-04-04T22:59:59', '-03:00', 'before the hour that the clock shows twice'],
    ['CL', '2026-04-05T00:00:00', '-04:00', 'after the hour that the clock shows twice'],
    ['CL', '2026-09-05T23:59:59', '-04:00', 'before the hour that the clock skips'],
    ['CL', '2026-09-06T01:00:00', '-03:00', 'after the hour that the clock skips'],
    ['BR', '2026-01-15T12:00:00', '-03:00', 'Brazil'],
    ['CO', '2026-01-15T12:00:00', '-05:00', 'Colombia'],
  ] as const)('of %s at %s is %s: %s', (country, local, offset, _) => {
    expect(withOffset(local, country)).toBe(local + offset);
  });

  it('is the start of a day for a day', () => {
    expect(withOffset('2026-02-19', 'CO')).toBe('2026-02-19T00:00:00-05:00');
  });
});

describe('a written time', () => {
  it.each([
    ['BR', '2026-03-01T15:00:00Z', '2026-03-01T12:00:00'],
    ['CL', '2026-01-15T15:00:00.63Z', '2026-01-15T12:00:00'],
    ['CL', '2026-07-15T15:00:00+00:00', '2026-07-15T11:00:00'],
    ['CO', '2026-01-15 02:00-0300', '2026-01-15T00:00:00'],
    ['CO', '2026-01-15T02:00:00', '2026-01-15T02:00:00'],
    ['BR', '2026-01-15T12:00:00 horas', '2026-01-15T12:00:00'],
  ] as const)('becomes the local time of %s: %s', (country, text, local) => {
    expect(localTimeIn(country, text)).toBe(local);
  });

  it.each([
    '',
    '2026-01-15',
    '15/01/2026 12:00',
    '2026-11-17T00:00:00.0002026-11-17T00:00:00.000',
    '2026-11-17T00:00:002026-11-17T00:00:00',
    '2026-11-17T00:00:00-03:002026-11-17T00:00:00-03:00',
    '2026-11-17T00:002026-11-17T00:00',
  ])('is not %j', (text) => {
    expect([localTimeIn('CO', text), localDayIn('CO', text)]).toEqual([null, null]);
  });
});

describe('a written day', () => {
  it.each([
    ['BR', '2026-03-02T01:00:00Z', '2026-03-01'],
    ['CO', '2026-03-02T00:00:00.000Z', '2026-03-02'],
    ['CL', '2026-03-02 00:00+00:00', '2026-03-02'],
    ['CO', '2026-03-02T00:00:00', '2026-03-02'],
    ['CO', '2026-03-02', null],
  ] as const)('is that of %s, and of midnight in UTC its own: %s', (country, text, day) => {
    expect(localDayIn(country, text)).toBe(day);
  });
});

describe('a moment in UTC', () => {
  const DAY = 24 * 3_600_000;
  const moments = [0, -1, DAY - 1, DAY, Date.UTC(2026, 10, 21, 2, 30, 27, 999), Date.UTC(2026, 10, 21, 2, 30, 28), 1, 0];

  it('is its own day and second, whatever moment was formatted before', () => {
    for (const ms of moments) {
      const text = new Date(ms).toISOString();
      expect([isoDate(ms), isoWithOffset(ms)]).toEqual([text.slice(0, 10), `${text.slice(0, 19)}+00:00`]);
    }
  });

  it('is refused when it is no time, and the next one is formatted', () => {
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => isoDate(wrong)).toThrow(RangeError);
      expect(() => isoWithOffset(wrong)).toThrow(RangeError);
    }
    expect(isoDate(DAY)).toBe('1970-01-02');
  });
});

describe('an ISO date', () => {
  it.each([
    ['0001-01-01', true],
    ['2024-02-29', true],
    ['0000-01-01', false],
    ['2026-02-29', false],
    ['2026-1-01', false],
  ])('%s exists: %s', (text, exists) => {
    expect(isIsoDate(text)).toBe(exists);
  });
});
