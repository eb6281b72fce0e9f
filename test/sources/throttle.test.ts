import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SharedLimits } from '../../src/cache/shared-limits.ts';
import { createThrottle, type Throttle, type ThrottleOptions } from '../../src/sources/http/throttle.ts';
import { needsRedis, redisOfTest } from '../support/redis.ts';
import { addAbandonedLease, connected, counted, limitsOn } from '../support/shared-limits.ts';

const OF = ['an upstream', 'a ticket'];
const soon = () => performance.now() + 20_000;
const today = () => '2026-11-24';

/** A request of an upstream that allows one at a time. */
interface Request {
  readonly from: number;
  readonly to: number;
}

/** Sends one request when it has a permit, if it gets one. */
async function send(throttle: Throttle, requests: Request[], ms = 0): Promise<void> {
  const permit = await throttle.acquire(soon());
  if (typeof permit === 'string') return;
  const from = performance.now();
  await sleep(ms);
  requests.push({ from, to: performance.now() });
  permit.end();
}

/** The pauses between requests, in the order in which they were sent. */
function pauses(requests: readonly Request[]): readonly number[] {
  const inOrder = requests.toSorted((a, b) => a.from - b.from);
  return inOrder.slice(1).map(({ from }, i) => from - (inOrder[i]?.to ?? 0));
}

const throttlesOn = (
  all: readonly (SharedLimits | undefined)[],
  options: Pick<ThrottleOptions, 'pauseMs' | 'quota'>,
): readonly Throttle[] => all.map((limits) => createThrottle({ of: OF, limits, ...options }));

describe('the throttle of one process', () => {
  it('gives no permit that would come too late, and ends a wait with its signal', async () => {
    const [throttle] = throttlesOn([undefined], { pauseMs: 60_000 });
    await send(throttle!, []);
    expect(await throttle?.acquire(soon())).toBe('no_turn');
    await expect(throttle?.acquire(performance.now() + 100_000, AbortSignal.timeout(50))).rejects.toThrow();
  });
});

describe('a throttle over processes', needsRedis, () => {
  it('gives permits one at a time with the pause between them', async () => {
    const server = await redisOfTest();
    const all = Array.from({ length: 3 }, () => limitsOn(server).limits);
    await connected(all);
    const requests: Request[] = [];
    const throttles = throttlesOn(all, { pauseMs: 50 });
    await Promise.all(throttles.map(async (throttle) => Promise.all(Array.from({ length: 7 }, () => send(throttle, requests, 20)))));
    expect(requests).toHaveLength(21);
    // Redis counts whole ms, and a permit begins after its answer.
    expect(Math.min(...pauses(requests))).toBeGreaterThanOrEqual(48);
  });

  it('gives exactly the permits of the day, also when Redis restarts empty in between', async () => {
    const server = await redisOfTest();
    const all = Array.from({ length: 3 }, () => limitsOn(server).limits);
    await connected(all);
    await counted(all);
    const requests: Request[] = [];
    const throttles = throttlesOn(all, { pauseMs: 0, quota: { perDay: 90, today } });
    const sendAll = (count: number) =>
      Promise.all(throttles.map((throttle) => Promise.all(Array.from({ length: count }, () => send(throttle, requests)))));
    await sendAll(10);
    await server.kill();
    await sendAll(10);
    expect(requests).toHaveLength(60);
    await server.start();
    await connected(all);
    await sendAll(60);
    expect(requests).toHaveLength(90);
    expect(await throttles[0]?.acquire(soon())).toBe('quota_used');
  });

  it('sends no more than one process would while Redis is away: the pause and the rest of the day are divided', async () => {
    const server = await redisOfTest();
    const all = Array.from({ length: 3 }, () => limitsOn(server).limits);
    await connected(all);
    await counted(all);
    const throttles = throttlesOn(all, { pauseMs: 100, quota: { perDay: 18, today } });
    const requests: Request[] = [];
    await Promise.all(throttles.map((throttle) => send(throttle, requests)));
    await server.kill();
    const startedAt = performance.now();
    await Promise.all(throttles.map((throttle) => Promise.all(Array.from({ length: 9 }, () => send(throttle, requests)))));
    expect(requests).toHaveLength(18);
    // The first permit of a process may be the last before Redis went away; the four others follow at three times the pause.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(4 * 300 - 50);
  });

  it('is that of one process, from the first permit on, when Redis was never reachable', async () => {
    const { limits } = limitsOn({ url: 'redis://127.0.0.1:1' });
    const [throttle] = throttlesOn([limits], { pauseMs: 50, quota: { perDay: 3, today } });
    const requests: Request[] = [];
    await Promise.all(Array.from({ length: 5 }, () => send(throttle!, requests)));
    expect(requests).toHaveLength(3);
    expect(Math.min(...pauses(requests))).toBeGreaterThanOrEqual(49);
  });

  it('waits for a Redis that hangs for one permit, not for each', async () => {
    const answerMs = 1_000;
    const server = await redisOfTest();
    const { limits } = limitsOn(server, answerMs);
    await connected([limits]);
    const [throttle] = throttlesOn([limits], { pauseMs: 0, quota: { perDay: 100, today } });
    server.freeze();
    const startedAt = performance.now();
    for (let i = 0; i < 20; i += 1) await send(throttle!, []);
    const ms = performance.now() - startedAt;
    server.thaw();
    expect(ms).toBeLessThan(10 * answerMs);
  });

  it('goes on some seconds after a process died with the permit', async () => {
    const server = await redisOfTest();
    const { limits } = limitsOn(server);
    await connected([limits]);
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    const [throttle, other] = throttlesOn([limits, limits], { pauseMs: 0 });
    const permit = await throttle?.acquire(soon());
    expect(await other?.acquire(performance.now() + 7_000)).toBe('no_turn'); // a lease is renewed
    const [key = ''] = await client.keys('quipu:limits:throttle:*');
    await addAbandonedLease(client, key, 'a process that died');
    if (typeof permit === 'object') permit.end();
    expect(await other?.acquire(performance.now() + 500)).toBe('no_turn');
    expect(await other?.acquire(performance.now() + 8_000)).toEqual({ end: expect.any(Function) });
  }, 30_000);
});
