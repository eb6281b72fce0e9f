import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BadKeys, createBadKeys } from '../../src/auth/bad-keys.ts';
import { SECOND_MS } from '../../src/domain/time.ts';

let badKeys: BadKeys;
beforeEach(() => {
  vi.useFakeTimers();
  badKeys = createBadKeys();
});
afterEach(() => {
  vi.useRealTimers();
});

const count = async (address: string, times: number) => {
  const waits: number[] = [];
  for (let i = 0; i < times; i += 1) waits.push(await badKeys.count(address));
  return waits;
};

describe('keys that do not open', () => {
  it('AK-06 may be 20 a minute from one address; who comes back after the seconds that were named is heard again', async () => {
    expect(await count('192.0.2.7', 20)).toEqual(Array(20).fill(0));
    vi.advanceTimersByTime(12 * SECOND_MS);
    const [wait = 0] = await count('192.0.2.7', 1);
    expect(wait).toBe(48);
    vi.advanceTimersByTime(wait * SECOND_MS);
    expect(await count('192.0.2.7', 1)).toEqual([0]);
  });

  it('count for each address alone', async () => {
    await count('192.0.2.7', 21);
    expect(await count('192.0.2.8', 20)).toEqual(Array(20).fill(0));
  });

  it.each([
    { what: 'an IPv4 address written as an IPv6 one', one: '192.0.2.7', other: '::ffff:192.0.2.7', same: true },
    { what: 'two IPv6 addresses of one network of 64 bits', one: '2001:db8:1:2::1', other: '2001:db8:1:2:ffff::9', same: true },
    { what: 'two IPv6 networks', one: '2001:db8:1:2::1', other: '2001:db8:1:3::1', same: false },
    { what: 'an address with a zone and without', one: 'fe80::1%eth0', other: 'fe80::1', same: true },
    { what: 'texts that are no address', one: 'unknown', other: 'x'.repeat(10_000), same: true },
  ])('take $what for one: $same', async ({ one, other, same }) => {
    await count(one, 20);
    expect((await badKeys.count(other)) > 0).toBe(same);
  });
});
