import { describe, expect, it } from 'vitest';
import { withOffset } from '../../src/domain/time.ts';

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
