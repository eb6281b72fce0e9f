import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRateLimiter, type RateLimiter } from '../../src/metering/rate-limit.ts';
import { memoryLog } from '../support/log.ts';
import { needsRedis, redisOfTest } from '../support/redis.ts';

const LIMIT = { module: 'compliance_br', perMinute: 60, burst: 20 } as const;
/** The same burst at a rate a hundred times as high: a minute of LIMIT corresponds to 0.6 s. */
const QUICK = { module: 'compliance_br', perMinute: 6_000, burst: 20 } as const;

function rates(redisUrl?: string, now = Date.now) {
  const { log, lines } = memoryLog();
  const made = createRateLimiter({ now, log, redisUrl });
  onTestFinished(() => made.close());
  return { ...made, lines };
}

/** Waits until the limiters share their state: with a burst of 1, only one of them allows a request. */
async function together(all: readonly RateLimiter[]): Promise<void> {
  const allowed = async () => {
    const key = randomUUID();
    const decisions = await Promise.all(all.map(({ take }) => take(key, { ...LIMIT, burst: 1 })));
    return decisions.filter(({ allowed }) => allowed).length;
  };
  await expect.poll(allowed).toBe(1);
}

/** The largest number of the given times within any window of `windowMs`. */
function mostWithin(times: readonly number[], windowMs: number): number {
  return Math.max(...times.map((start) => times.filter((time) => time >= start && time < start + windowMs).length));
}

describe('a limit of one process', () => {
  it('MT-08 allows at most the limit plus the burst in any minute, and the full limit over ten minutes', async () => {
    let clock = 1_000_000;
    const { take } = rates(undefined, () => clock);
    const allowed: number[] = [];
    const begin = clock;
    for (; clock < begin + 600_000; clock += 100) {
      if ((await take('key', LIMIT)).allowed) allowed.push(clock);
    }
    expect(mostWithin(allowed, 60_000)).toBeLessThanOrEqual(80);
    expect(allowed.length).toBe(20 + 599);
  });

  it('counts what it refused of each key, by whichever limit, since it was created', async () => {
    const { take, spend, takeAction, refusals } = rates(undefined, () => 1_000);
    const rate = { perMinute: 60, burst: 1 };
    for (let i = 0; i < 3; i += 1) {
      await take('key', { ...rate, module: 'kyb' });
      await spend('key', rate, 1);
      await takeAction('key', { name: 'ownership_graph', rate });
    }
    expect(refusals('key')).toEqual({ count: 6, since: 1_000 });
    expect(refusals('other')).toEqual({ count: 0, since: 1_000 });
  });

  it('counts the refusals of 10,000 keys at most, and then anew', async () => {
    let clock = 1_000;
    const { spend, refusals } = rates(undefined, () => clock);
    const rate = { perMinute: 60, burst: 1 };
    const refuse = (key: string) => spend(key, rate, 2);
    for (let i = 0; i < 10_000; i += 1) await refuse(`key${i}`);
    clock += 1;
    await refuse('key0');
    expect(refusals('key0')).toEqual({ count: 2, since: 1_000 });
    await refuse('one more');
    expect([refusals('key0'), refusals('one more')]).toEqual([
      { count: 0, since: 1_001 },
      { count: 1, since: 1_001 },
    ]);
  });

  it('allows requests after the clock is set back', async () => {
    let clock = 10_000_000;
    const { take } = rates(undefined, () => clock);
    for (let i = 0; i < 20; i += 1) await take('key', LIMIT);
    expect(await take('key', LIMIT)).toMatchObject({ allowed: false });
    clock -= 3_600_000;
    expect(await take('key', LIMIT)).toMatchObject({ allowed: true, remaining: 19 });
  });

  it('counts each key and each module separately', async () => {
    const { take } = rates(undefined, () => 1_000);
    const one = { ...LIMIT, burst: 1 };
    const asked = [await take('a', one), await take('a', one), await take('b', one), await take('a', { ...one, module: 'kyb' })];
    expect(asked.map(({ allowed }) => allowed)).toEqual([true, false, true, true]);
  });

  it('MT-09 returns the remaining requests and the time until the next one, and allows a request after that time', async () => {
    let clock = 1_000;
    const { take } = rates(undefined, () => clock);
    const first = [await take('key', LIMIT), await take('key', LIMIT)];
    expect(first).toMatchObject([
      { remaining: 19, nextMs: 1_000 },
      { remaining: 18, nextMs: 1_000 },
    ]);
    for (let i = 0; i < 18; i += 1) await take('key', LIMIT);
    clock += 250;
    const refused = await take('key', LIMIT);
    expect(refused).toEqual({ ...LIMIT, allowed: false, remaining: 0, nextMs: 750 });
    for (let i = 0; i < 600; i += 1) {
      clock += refused.nextMs;
      expect(await take('key', LIMIT)).toMatchObject({ allowed: true });
      clock += 250;
    }
  });
});

describe('a limit shared through Redis', needsRedis, () => {
  it('MT-08 holds for three limiters with uneven load, and at least 98 % of it is usable', async () => {
    const { url } = await redisOfTest();
    const all = [rates(url), rates(url), rates(url)];
    await together(all);
    const key = randomUUID();
    const allowed: number[] = [];
    const begin = performance.now();
    const end = begin + 3_000;
    const clients = Array.from({ length: 20 }, async (_, i) => {
      const mine = all[i % 7 === 0 ? 1 : i % 5 === 0 ? 2 : 0];
      while (performance.now() < end) {
        if ((await mine?.take(key, QUICK))?.allowed) allowed.push(performance.now());
        await sleep(5);
      }
    });
    await Promise.all(clients);
    const seconds = ((allowed.at(-1) ?? 0) - begin) / 1_000;
    // A client receives the decision a little after Redis has made it.
    expect(mostWithin(allowed, 600)).toBeLessThanOrEqual(80 * 1.05);
    expect(allowed.length).toBeLessThanOrEqual(Math.ceil(20 + 100 * seconds) + 1);
    expect(allowed.length).toBeGreaterThanOrEqual(0.98 * (20 + 100 * seconds));
  });

  it('MT-10 is applied by each limiter alone while Redis is down or hangs, and shared again afterwards', async () => {
    const server = await redisOfTest();
    const pair = [rates(server.url), rates(server.url)] as const;
    await together(pair);
    const one = { ...LIMIT, burst: 5 };
    const askAll = async () => {
      const key = randomUUID();
      const decisions = await Promise.all(Array.from({ length: 40 }, (_, i) => pair[i % 2 === 0 ? 0 : 1].take(key, one)));
      return decisions.filter(({ allowed }) => allowed).length;
    };
    expect(await askAll()).toBe(5);
    await server.kill();
    expect(await askAll()).toBe(10);
    await server.start();
    await expect.poll(askAll, { timeout: 10_000 }).toBe(5);
    server.freeze();
    expect(await askAll()).toBe(10);
    server.thaw();
    await expect.poll(askAll, { timeout: 10_000 }).toBe(5);
    expect(pair[0].lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining([expect.stringMatching(/Redis is away/), expect.stringMatching(/Redis is back/)]),
    );
  });

  it('MT-10 applies from the first request when Redis was never reachable', async () => {
    const { take } = rates('redis://127.0.0.1:1');
    const decisions = await Promise.all(Array.from({ length: 30 }, () => take('key', LIMIT)));
    expect(decisions.filter(({ allowed }) => allowed).length).toBe(20);
  });
});
