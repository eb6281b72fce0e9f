import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRateLimiter } from '../../src/metering/rate-limit.ts';
import { memoryLog } from '../support/log.ts';
import { needsRedis, redisOfTest } from '../support/redis.ts';

const TERMS = { perMinute: 60, burst: 100 } as const;

function rates(redisUrl?: string, now = Date.now) {
  const made = createRateLimiter({ now, log: memoryLog().log, redisUrl });
  onTestFinished(() => made.close());
  return made;
}

describe('points of one process', () => {
  it('are spent when enough of them remain, and are restored over time', async () => {
    let clock = 1_000;
    const { spend } = rates(undefined, () => clock);
    expect(await spend('key', TERMS, 70)).toEqual({ allowed: true, remaining: 30 });
    expect(await spend('key', TERMS, 31)).toEqual({ allowed: false, remaining: 30 });
    expect(await spend('other', TERMS, 100)).toEqual({ allowed: true, remaining: 0 });
    clock += 1_000;
    expect(await spend('key', TERMS, 31)).toEqual({ allowed: true, remaining: 0 });
    clock += 200_000;
    expect(await spend('key', TERMS, 1)).toEqual({ allowed: true, remaining: 99 });
  });

  it('are counted separately from the requests of modules', async () => {
    const { spend, take } = rates(undefined, () => 1_000);
    await spend('key', TERMS, 100);
    expect(await take('key', { ...TERMS, module: 'kyb' })).toMatchObject({ allowed: true, remaining: 99 });
  });
});

describe('points shared through Redis', needsRedis, () => {
  it('are spent once across two limiters', async () => {
    const redis = await redisOfTest();
    const [one, other] = [rates(redis.url), rates(redis.url)];
    await expect
      .poll(async () => {
        const key = randomUUID();
        const [, second] = [await one.spend(key, TERMS, 60), await other.spend(key, TERMS, 60)];
        return second.allowed;
      })
      .toBe(false);
    const key = randomUUID();
    expect(await one.spend(key, TERMS, 60)).toEqual({ allowed: true, remaining: 40 });
    expect(await other.spend(key, TERMS, 60)).toEqual({ allowed: false, remaining: 40 });
    expect((await other.spend(key, TERMS, 40)).allowed).toBe(true);
  });
});
