import type { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { SharedLimits } from '../../src/cache/shared-limits.ts';
import { memoryLog } from './log.ts';
import type { TestRedis } from './redis.ts';

/** Several processes of a service on one Redis, each with its own connection. */

/** @param answerMs long by default, because a Redis on a busy machine may get no time for longer than the service waits */
export function limitsOn({ url }: Pick<TestRedis, 'url'>, answerMs = 5_000) {
  const { log, lines } = memoryLog();
  const limits = new SharedLimits({ redisUrl: url, answerMs, log });
  onTestFinished(() => limits.close());
  return { limits, lines };
}

let probes = 0;

/** Waits until Redis answers all of them, so that a limit of one permit is granted to one of them only. */
export async function connected(all: readonly SharedLimits[]): Promise<void> {
  const granted = async () => {
    probes += 1;
    const taken = await Promise.all(all.map((limits) => limits.lease(`probe ${probes}`, 1)));
    const leases = taken.filter((lease) => typeof lease === 'object');
    for (const lease of leases) lease.end();
    return leases.map(({ isShared }) => isShared);
  };
  await expect.poll(granted, { timeout: 10_000 }).toEqual([true]);
}

/** Adds a lease of a process that died, which nobody renews. It ends by the clock of Redis, which `test/dates.sh` does not move. */
export async function addAbandonedLease(client: Redis, name: string, holder: string): Promise<void> {
  const [seconds] = await client.time();
  await client.zadd(name, (Number(seconds) + 6) * 1_000, holder);
}

/** Waits until each process has counted all others, which takes some seconds in production. */
export async function counted(all: readonly SharedLimits[]): Promise<void> {
  await expect.poll(() => all.map(({ processes }) => processes), { timeout: 10_000 }).toEqual(all.map(() => all.length));
}
