import { describe, expect, it } from 'vitest';
import { createInvalidKeyLimit } from '../../src/auth/invalid-keys.ts';
import { SECOND_MS } from '../../src/domain/time.ts';

/** Creates a limit with its own clock. `count` counts several invalid keys from one address and returns the seconds to wait after each. */
function limit() {
  let time = 1_000_000;
  const invalidKeys = createInvalidKeyLimit({ now: () => time, secret: 'a secret of the tests' });
  return {
    begin: invalidKeys.begin,
    isFlood: (address: string) => {
      const attempt = invalidKeys.begin(address);
      attempt.end();
      return attempt.isFlood;
    },
    count: (address: string, times: number) =>
      Promise.all(
        Array.from({ length: times }, () => {
          const attempt = invalidKeys.begin(address);
          attempt.end();
          return attempt.countInvalid();
        }),
      ),
    advance: (ms: number) => {
      time += ms;
    },
  };
}

describe('the limit of invalid keys', () => {
  it('AK-06 allows 20 per minute from one address, and allows more after the returned wait', async () => {
    const { count, advance } = limit();
    expect(await count('192.0.2.7', 20)).toEqual(Array(20).fill(0));
    advance(12 * SECOND_MS);
    const [wait = 0] = await count('192.0.2.7', 1);
    expect(wait).toBe(48);
    advance(wait * SECOND_MS);
    expect(await count('192.0.2.7', 1)).toEqual([0]);
  });

  it('counts each address separately', async () => {
    const { count } = limit();
    await count('192.0.2.7', 21);
    expect(await count('192.0.2.8', 20)).toEqual(Array(20).fill(0));
  });

  it.each([
    { what: 'an IPv4 address written as an IPv6 one', one: '192.0.2.7', other: '::ffff:192.0.2.7', same: true },
    { what: 'two IPv6 addresses of one network of 64 bits', one: '2001:db8:1:2::1', other: '2001:db8:1:2:ffff::9', same: true },
    { what: 'two IPv6 networks', one: '2001:db8:1:2::1', other: '2001:db8:1:3::1', same: false },
    { what: 'an address with a zone and without', one: 'fe80::1%eth0', other: 'fe80::1', same: true },
    { what: 'texts that are no address', one: 'unknown', other: 'x'.repeat(10_000), same: true },
  ])('counts $what as one address: $same', async ({ one, other, same }) => {
    const { count } = limit();
    await count(one, 20);
    const [wait = 0] = await count(other, 1);
    expect(wait > 0).toBe(same);
  });

  it('reports a flood from the address that sent 20 invalid keys, and not from others, until its minute ends', async () => {
    const { isFlood, count, advance } = limit();
    await count('192.0.2.7', 19);
    expect(isFlood('192.0.2.7')).toBe(false);
    await count('192.0.2.7', 1);
    expect([isFlood('192.0.2.7'), isFlood('192.0.2.8')]).toEqual([true, false]);
    advance(60 * SECOND_MS);
    expect(isFlood('192.0.2.7')).toBe(false);
  });

  it('counts keys that are being checked towards a flood, and valid ones no more once they were', async () => {
    const { begin, isFlood } = limit();
    const attempts = Array.from({ length: 20 }, () => begin('192.0.2.7'));
    expect(isFlood('192.0.2.7')).toBe(true);
    for (const { end } of attempts) end();
    expect(isFlood('192.0.2.7')).toBe(false);
  });

  it('reports a flood from every address after 200 invalid keys from all', async () => {
    const { isFlood, count } = limit();
    for (let i = 0; i < 200; i += 1) {
      expect(isFlood('192.0.2.7')).toBe(false);
      await count(`198.51.100.${i}`, 1);
    }
    expect(isFlood('192.0.2.7')).toBe(true);
  });

  it('counts 20,000 addresses at most: the oldest is forgotten, and a flood from all of them is still reported', async () => {
    const { isFlood, count } = limit();
    await count('192.0.2.7', 21);
    for (let i = 0; i < 19_999; i += 1) await count(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 1);
    expect(await count('192.0.2.7', 1)).not.toEqual([0]);
    await count('192.0.2.8', 1);
    expect(await count('192.0.2.7', 1)).toEqual([0]);
    expect(isFlood('192.0.2.7')).toBe(true);
  });
});
