import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRateLimiter, REFUSALS } from '../../src/metering/rate-limit.ts';
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

  it('are owed when less remains than was used, at most a burst, and restored before any is spent', async () => {
    let clock = 1_000;
    const { spend, charge, owes } = rates(undefined, () => clock);
    await spend('key', TERMS, 90);
    await charge('key', TERMS, 30);
    expect([await owes('key', TERMS), await owes('other', TERMS)]).toEqual([20, 0]);
    expect(await spend('key', TERMS, 1)).toEqual({ allowed: false, remaining: -20 });
    clock += 20_000;
    expect([await owes('key', TERMS), await spend('key', TERMS, 1)]).toEqual([0, { allowed: false, remaining: 0 }]);
    clock += 1_000;
    expect(await spend('key', TERMS, 1)).toEqual({ allowed: true, remaining: 0 });
    for (let i = 0; i < 5; i += 1) await charge('key', TERMS, 70);
    expect(await owes('key', TERMS)).toBe(TERMS.burst);
    clock -= 3_600_000;
    expect([await owes('key', TERMS), await spend('key', TERMS, 1)]).toEqual([0, { allowed: true, remaining: 99 }]);
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

  it('are owed to two limiters, and each knows without Redis what it charged itself', async () => {
    const redis = await redisOfTest();
    const [one, other] = [rates(redis.url), rates(redis.url)];
    const slow = { perMinute: 1, burst: 100 };
    await expect
      .poll(async () => {
        const key = randomUUID();
        await one.charge(key, slow, 100);
        return (await other.spend(key, slow, 1)).allowed;
      })
      .toBe(false);
    const key = randomUUID();
    await one.charge(key, slow, 130);
    expect(await other.spend(key, slow, 1)).toEqual({ allowed: false, remaining: -30 });
    expect([await one.owes(key, slow), await other.owes(key, slow)]).toEqual([30, 0]);
  });
});

describe('refusals of a key', () => {
  it('are sent at once up to the burst; further ones wait, each for its turn, and those of another key do not', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { paceRefusal } = rates();
    const sent: string[] = [];
    const refuse = (key: string, count: number) => {
      for (let i = 0; i < count; i += 1) void paceRefusal(key).then(() => sent.push(key));
    };
    const intervalMs = 60_000 / REFUSALS.perMinute;

    refuse('key', REFUSALS.burst + 3);
    refuse('other', 1);
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual([...Array<string>(REFUSALS.burst).fill('key'), 'other']);
    for (let turn = 1; turn <= 3; turn += 1) {
      await vi.advanceTimersByTimeAsync(intervalMs - 1);
      expect(sent).toHaveLength(REFUSALS.burst + turn);
      await vi.advanceTimersByTimeAsync(1);
      expect(sent).toHaveLength(REFUSALS.burst + turn + 1);
    }
  });
});
