import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { SharedCache } from '../../src/cache/shared.ts';
import type { Found } from '../../src/domain/answer.ts';
import { sourceUnavailable } from '../../src/domain/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/time.ts';
import { createLoaders, type FetchingLoader } from '../../src/loaders/loader.ts';
import type { Use } from '../../src/sources/source.ts';
import { memoryLog } from './log.ts';
import { redisOfTest, type TestRedis } from './redis.ts';

/** Several processes of a service on one Redis, each with its own connection, memory and loaders. */

export const FACT = z.object({ fact: z.number(), known: z.boolean(), by: z.string(), text: z.string().optional() });
type Fact = z.infer<typeof FACT>;

const use: Use = () => {
  throw new Error('these loaders use no source');
};

/** Creates an upstream of numbered facts, and a clock that all processes share. */
export function world(server: TestRedis, answerMs = 5_000) {
  const state = {
    now: 1_000_000_000_000,
    up: true,
    delayMs: 0,
    text: undefined as string | undefined,
    asked: [] as string[],
    version: null as string | null,
  };

  function replica(name: string, { origin = 'registry', schema = FACT as z.ZodType<Fact> } = {}) {
    const { log, lines } = memoryLog();
    const own = { isHung: false };
    const shared = new SharedCache({ redisUrl: server.url, origin, answerMs, now: () => state.now, log });
    onTestFinished(() => shared.close());
    const loader: FetchingLoader<string, Fact> = {
      name: 'facts',
      key: (key) => key,
      schema,
      cacheVersion: () => state.version,
      cache: {
        ttlMs: ({ known }) => (known ? 6 * HOUR_MS : 15 * MINUTE_MS),
        maxStaleAgeMs: ({ known }) => (known ? 24 : 1) * HOUR_MS,
      },
      batch: (keys) =>
        keys.map(async (key): Promise<Found<Fact>> => {
          state.asked.push(key);
          const fact = state.asked.length;
          await sleep(state.delayMs);
          if (own.isHung) await new Promise(() => undefined);
          if (!state.up) throw sourceUnavailable('receita_federal', 'down', 7);
          const value = { fact, known: !key.startsWith('unknown'), by: name, ...(state.text !== undefined && { text: state.text }) };
          return { value, dataAsOf: '2026-01-01' };
        }),
    };
    const loaders = createLoaders(use, () => state.now, { shared });
    return {
      own,
      lines,
      shared,
      get: async (key: string, since?: number) => loaders.scope(since === undefined ? {} : { since })(loader, key),
    };
  }
  return { state, replica };
}

/**
 * Creates connected processes, which find each other's answers. @param answerMs long by default, because a Redis on a busy machine may get
 * no time for longer than the service waits
 */
export async function connected(size: number, answerMs?: number) {
  const server = await redisOfTest();
  const { state, replica } = world(server, answerMs);
  const replicas = Array.from({ length: size }, (_, i) => replica(`replica ${i}`));
  await together(replicas, state);
  const client = new Redis(server.url);
  onTestFinished(() => client.disconnect());
  return { server, state, replicas: replicas as unknown as readonly [Replica, Replica, Replica], replica, client };
}

type Replica = ReturnType<ReturnType<typeof world>['replica']>;

let probes = 0;

/** Waits until an answer that one process fetches is found by all others. */
export async function together(replicas: readonly Replica[], state: { readonly asked: string[] }): Promise<void> {
  await expect
    .poll(
      async () => {
        probes += 1;
        const before = state.asked.length;
        await Promise.all(replicas.map(({ get }) => get(`probe ${probes}`)));
        return state.asked.length - before;
      },
      { timeout: 10_000 },
    )
    .toBe(1);
  state.asked.length = 0;
}
