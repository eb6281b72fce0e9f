import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { ANSWER_MS } from '../../src/cache/shared.ts';
import { needsRedis, redisOfTest } from '../support/redis.ts';
import { connected, together, world } from '../support/shared-cache.ts';

describe('while Redis is away', needsRedis, () => {
  it('each process fetches for itself, waits for Redis once at most, and shares again when it is back', async () => {
    const { server, state, replicas, client } = await connected(3, ANSWER_MS);
    const before = await commandsSent(client);
    server.freeze();
    const startedAt = performance.now();
    const [first, other] = await Promise.all([replicas[0].get('a'), replicas[1].get('a')]);
    const waitedMs = performance.now() - startedAt;
    for (let i = 0; i < 50; i += 1) await replicas[0].get(`b ${i}`);
    server.thaw();
    expect([first.value.by, other.value.by]).toEqual(['replica 0', 'replica 1']);
    expect(waitedMs).toBeLessThan(500); // a busy machine adds its own delays to the 15 ms
    expect((await commandsSent(client)) - before).toBeLessThan(10); // those that waited in the connections when Redis stopped
    await together(replicas, state);

    await server.kill();
    const [one, two] = [await replicas[0].get('c'), await replicas[1].get('c')];
    expect([one.value.by, two.value.by]).toEqual(['replica 0', 'replica 1']);
    await server.start();
    await together(replicas, state);
    expect(new Set(replicas[0].lines.map(({ msg }) => msg))).toEqual(
      new Set(['Redis is away: each process fetches and caches for itself', 'Redis is back: processes share their answers again']),
    );
  });

  it('a process that waits for another one fetches for itself', async () => {
    const { server, state, replicas } = await connected(3, 500);
    replicas[0].own.isHung = true;
    void replicas[0].get('a').catch(() => undefined);
    await expect.poll(() => state.asked).toEqual(['a']);
    const waiting = replicas[1].get('a');
    await sleep(100);
    server.freeze();
    expect((await waiting).value.by).toBe('replica 1');
    server.thaw();
  });

  it('answers when Redis was never reachable', async () => {
    const server = await redisOfTest();
    await server.kill();
    const { replica } = world(server);
    expect((await replica('alone').get('a')).value.by).toBe('alone');
  });

  it('answers when Redis refuses commands, and logs why without data', async () => {
    const { replicas, client } = await connected(3);
    await client.config('SET', 'maxmemory', '1mb');
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    expect((await replicas[0].get('secret company')).value.by).toBe('replica 0');
    await expect.poll(() => replicas[0].lines.map(({ msg }) => msg)).toContain('Redis refuses commands');
    expect(JSON.stringify(replicas[0].lines)).not.toContain('secret');
  });
});

/** Number of scripts that Redis has run. */
const commandsSent = async (client: Redis): Promise<number> =>
  Number(/cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1]);
