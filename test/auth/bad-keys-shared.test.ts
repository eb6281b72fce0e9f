import { describe, expect, it } from 'vitest';
import { createInvalidKeyLimit, type InvalidKeyLimit } from '../../src/auth/invalid-keys.ts';
import { needsRedis, redisOfTest } from '../support/redis.ts';
import { connected, limitsOn } from '../support/shared-limits.ts';

/** Counts an invalid key from an address. @returns the seconds to wait; 0 within the limit */
function count({ begin }: InvalidKeyLimit, address: string): Promise<number> {
  const attempt = begin(address);
  attempt.end();
  return attempt.countInvalid();
}

/** Three processes on one Redis, and the number of invalid keys that they accept as such from an address. */
async function processes() {
  const server = await redisOfTest();
  const all = Array.from({ length: 3 }, () => limitsOn(server).limits);
  await connected(all);
  const each = all.map((limits) => createInvalidKeyLimit({ now: Date.now, limits, secret: 'a secret of the tests' }));
  const within = async (address: string) => {
    const waits = await Promise.all(Array.from({ length: 90 }, (_, i) => count(each[i % 3]!, address)));
    return waits.filter((wait) => wait === 0).length;
  };
  return { server, all, each, within };
}

describe('AK-06 invalid keys from one address, sent to three processes', needsRedis, () => {
  it('are limited to 20 a minute together, and to 20 for each process while Redis is away', async () => {
    const { server, all, within } = await processes();
    expect(await within('192.0.2.1')).toBe(20);
    await server.kill();
    expect(await within('192.0.2.2')).toBe(60);
    await server.start();
    await connected(all);
    expect(await within('192.0.2.3')).toBe(20);
  });

  it('end their minute together, whichever process got the first', async () => {
    const { each } = await processes();
    for (let i = 0; i < 20; i += 1) await count(each[0]!, '192.0.2.1');
    const waits = [await count(each[1]!, '192.0.2.1'), await count(each[2]!, '192.0.2.1')];
    for (const wait of waits) expect(wait).toBeGreaterThan(50);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(60);
    expect(each[1]?.begin('192.0.2.1').isFlood).toBe(true);
    expect(each[1]?.begin('192.0.2.9').isFlood).toBe(false);
  });
});
