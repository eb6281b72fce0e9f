import { describe, expect, it } from 'vitest';
import { CacheMemory, createCacheMemory } from '../../src/cache/memory.ts';
import { whenKnown } from '../../src/domain/answer.ts';
import { HOUR_MS, isoDate, SECOND_MS } from '../../src/domain/time.ts';
import { createLoaders, type DerivedLoader, type FetchingLoader, type Load, type ScopeOptions } from '../../src/loaders/loader.ts';
import type { Observer } from '../../src/observer.ts';
import type { Use } from '../../src/sources/source.ts';

const use: Use = () => {
  throw new Error('these loaders use no source');
};
const START = Date.parse('2026-11-20T12:00:00Z');

/** Two sources, an answer that is derived from both, and a clock that tests advance. */
function world({ memory = createCacheMemory(), observer }: { memory?: CacheMemory; observer?: Observer } = {}) {
  const state = { now: START, computed: 0, fetched: 0, version: 'v1' };
  const source = (name: string, ttlMs: number): FetchingLoader<string, number> => ({
    name,
    key: (key) => key,
    cache: { ttlMs: () => ttlMs, maxStaleAgeMs: () => ttlMs },
    cacheVersion: () => (name === 'list' ? state.version : null),
    batch: (keys) =>
      keys.map(async () => {
        state.fetched += 1;
        return { value: state.fetched, dataAsOf: null };
      }),
  });
  const [registry, list] = [source('registry', 6 * HOUR_MS), source('list', 48 * HOUR_MS)];
  const derived: DerivedLoader<string, string> = {
    name: 'both',
    key: (key) => key,
    answer: (key, load, time) => {
      const today = time.today(isoDate);
      const both = [load(registry, key), load(list, key)] as const;
      if (both.some((one) => one instanceof Promise)) return Promise.all(both).then(([one, other]) => join(one, other, today));
      return whenKnown(both[0], (one) => whenKnown(both[1], (other) => join(one, other, today)));
    },
  };
  const join = (one: Awaited<ReturnType<Load>>, other: Awaited<ReturnType<Load>>, today: string) => {
    state.computed += 1;
    return { value: `${one.value} ${other.value} ${today}`, freshness: one.freshness };
  };
  const loaders = createLoaders(use, () => state.now, { memory, observer });
  const get = async (options?: ScopeOptions): Promise<string> => (await loaders.scope(options)(derived, 'a')).value;
  /** Fetches both parts, and derives the answer from memory, so that it is kept. */
  const warm = async () => {
    await get();
    await get();
    state.computed = 0;
  };
  return { state, loaders, registry, get, warm };
}

describe('a derived answer that is kept', () => {
  it('is computed once while everything behind it is current', async () => {
    const { state, get, warm } = world();
    await warm();
    state.now += 5 * HOUR_MS;
    expect([await get(), await get(), state.computed]).toEqual(['1 2 2026-11-20', '1 2 2026-11-20', 0]);
  });

  it('ends when one of the answers behind it is no longer fresh', async () => {
    const { state, get, warm } = world();
    await warm();
    state.now += 6 * HOUR_MS;
    expect(await get()).toBe('3 2 2026-11-20');
  });

  it('ends when one of them was replaced by a later one', async () => {
    const { state, loaders, registry, get, warm } = world();
    await warm();
    state.now += SECOND_MS;
    await loaders.scope({ since: state.now })(registry, 'a');
    expect(await get()).toBe('3 2 2026-11-20');
  });

  it('ends when a list has another version, at the next request, even within the same millisecond', async () => {
    const { state, get, warm } = world();
    await warm();
    state.version = 'v2';
    expect(await get()).toBe('1 3 2026-11-20');
    state.version = 'v1';
    expect(await get()).toBe('1 4 2026-11-20');
  });

  it('ends when the date changes', async () => {
    const { state, get, warm } = world();
    state.now += 11 * HOUR_MS;
    await warm();
    state.now += HOUR_MS;
    expect(await get()).toBe('1 2 2026-11-21');
  });

  it('is not used by a request that needs later answers', async () => {
    const { state, get, warm } = world();
    await warm();
    state.now += SECOND_MS;
    expect(await get({ since: state.now })).toBe('3 4 2026-11-20');
  });

  it('ends when the memory drops one of them, and keeps them in memory while it is used itself', async () => {
    const memory = new CacheMemory(20_000);
    const { state, loaders, registry, get, warm } = world({ memory });
    await warm();
    for (let i = 0; i < 50; i += 1) {
      state.now += SECOND_MS;
      await loaders.scope()(registry, `other ${i}`);
      await get();
    }
    expect(state.computed).toBe(0);
    for (let i = 0; i < 50; i += 1) await loaders.scope()(registry, `another ${i}`);
    const before = state.fetched;
    await get();
    expect(state.fetched).toBe(before + 2);
  });

  it('counts a hit of each of them for metrics', async () => {
    const hits: string[] = [];
    const observer = { countLoaderAnswer: (name: string, result: string) => hits.push(`${name} ${result}`), startSpan: () => undefined };
    const { get, warm } = world({ observer: observer as unknown as Observer });
    await warm();
    hits.length = 0;
    await get();
    await get();
    expect(hits).toEqual(['registry hit', 'list hit', 'registry hit', 'list hit']);
  });
});
