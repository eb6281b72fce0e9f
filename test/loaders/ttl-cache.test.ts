import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Found } from '../../src/domain/answer.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/time.ts';
import type { FetchingLoader } from '../../src/loaders/loader.ts';
import { createLoaders } from '../../src/loaders/loader.ts';
import type { Use } from '../../src/sources/source.ts';

const use: Use = () => {
  throw new Error('these loaders use no source');
};

/** Creates a source of numbered facts that can be switched off, and a clock that tests advance. */
function world() {
  const state = { now: 0, up: true, facts: 0, asked: [] as string[][], version: 'v1' };
  const loader: FetchingLoader<string, { readonly fact: number; readonly known: boolean }> = {
    name: 'facts',
    key: (key) => key,
    cache: {
      ttlMs: ({ known }) => (known ? 6 * HOUR_MS : 15 * MINUTE_MS),
      maxStaleAgeMs: ({ known }) => (known ? 24 : 1) * HOUR_MS,
    },
    cacheVersion: () => state.version,
    batch: (keys) => {
      state.asked.push([...keys]);
      return keys.map(async (key): Promise<Found<{ fact: number; known: boolean }>> => {
        if (!state.up) throw new Error('source down');
        state.facts += 1;
        return { value: { fact: state.facts, known: !key.startsWith('unknown') }, dataAsOf: null };
      });
    },
  };
  const loaders = createLoaders(use, () => state.now);
  const get = async (key: string) => loaders.scope()(loader, key);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { state, loader, loaders, get, settle };
}

describe('a fetching loader', () => {
  it('fetches equal keys once and all keys of a tick in one batch', async () => {
    const { state, loaders, loader } = world();
    const load = loaders.scope();
    await Promise.all(['a', 'b', 'a', 'c'].map((key) => load(loader, key)));
    expect(state.asked).toEqual([['a', 'b', 'c']]);
  });

  it('answers from memory without a promise, with the same object in every request', async () => {
    const { loaders, loader, get } = world();
    await get('a');
    const answer = loaders.scope()(loader, 'a');
    expect(answer).toEqual({ value: { fact: 1, known: true }, freshness: expect.objectContaining({ cached: true }) });
    expect(loaders.scope()(loader, 'a')).toBe(answer);
  });

  it('refreshes all stale keys of a tick in one batch', async () => {
    const { state, loaders, loader, get, settle } = world();
    await Promise.all(['a', 'b', 'c'].map(get));
    state.now = 7 * HOUR_MS;
    const load = loaders.scope();
    const answers = await Promise.all(['a', 'b', 'c'].map((key) => load(loader, key)));
    await settle();
    expect(answers.map(({ freshness }) => freshness.stale)).toEqual([true, true, true]);
    expect(state.asked.at(-1)).toEqual(['a', 'b', 'c']);
  });

  it('UP-09 makes one fetch for 500 concurrent requests of one key', async () => {
    const { state, get } = world();
    const answers = await Promise.all(Array.from({ length: 500 }, () => get('a')));
    expect(state.asked).toEqual([['a']]);
    expect(new Set(answers.map(({ value }) => value.fact))).toEqual(new Set([1]));
  });

  it('GQ-11 does not share failures between requests', async () => {
    const { state, get } = world();
    state.up = false;
    await expect(get('a')).rejects.toThrow('source down');
    state.up = true;
    expect((await get('a')).value.fact).toBe(1);
  });

  it('shares one failure within a request: 500 reads of one key make one call', async () => {
    const { state, loaders, loader } = world();
    state.up = false;
    const load = loaders.scope();
    await Promise.allSettled([load(loader, 'a'), load(loader, 'a')]);
    await expect(load(loader, 'a')).rejects.toThrow('source down');
    expect(state.asked).toHaveLength(1);
  });

  it('fails one key of a batch while the others answer', async () => {
    const { loaders, loader } = world();
    const picky: typeof loader = {
      ...loader,
      batch: (keys, through) => loader.batch(keys, through).map((fact, i) => (keys[i] === 'bad' ? Promise.reject(new Error('bad')) : fact)),
    };
    const load = loaders.scope();
    const [good, bad] = await Promise.allSettled([load(picky, 'good'), load(picky, 'bad')]);
    expect([good.status, bad.status]).toEqual(['fulfilled', 'rejected']);
  });

  it('discards cached answers of another version', async () => {
    const { state, get } = world();
    await get('a');
    state.version = 'v2';
    expect((await get('a')).value.fact).toBe(2);
  });

  it('marks cached and stale answers, and until when they are fresh', async () => {
    const { state, get, settle } = world();
    expect((await get('a')).freshness).toEqual({ fetchedAt: 0, dataAsOf: null, cached: false, stale: false, expiresAt: 6 * HOUR_MS });
    state.now = 7 * HOUR_MS;
    state.up = false;
    expect((await get('a')).freshness).toMatchObject({ fetchedAt: 0, cached: true, stale: true });
    await settle();
    expect(state.asked).toHaveLength(2);
    state.now = 24 * HOUR_MS;
    await expect(get('a')).rejects.toThrow('source down');
  });

  it('never returns a fact past its own limit, however recent the copy', async () => {
    const { state, loaders, loader } = world();
    const dated: typeof loader = {
      ...loader,
      batch: (...args) => loader.batch(...args).map(async (fact) => ({ ...(await fact), goodUntil: HOUR_MS })),
    };
    await loaders.scope()(dated, 'a');
    state.now = HOUR_MS;
    state.up = false;
    await expect(loaders.scope()(dated, 'a')).rejects.toThrow('source down');
  });

  it('UP-11 caches an absence for at most an hour and no failure', async () => {
    const { state, get } = world();
    await get('unknown');
    state.now = HOUR_MS;
    expect((await get('unknown')).value.fact).toBe(2);
    state.up = false;
    await expect(get('other')).rejects.toThrow();
    state.up = true;
    state.now += SECOND_MS;
    expect((await get('other')).freshness.cached).toBe(false);
  });

  it('UP-10 holds over 10,000 steps of asking, waiting and outages: fresh without a call, dated, never past the maximum stale age', async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ do: fc.constant('get' as const), key: fc.constantFrom('a', 'b', 'unknown') }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 10 * HOUR_MS }) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('switch' as const) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 100, maxLength: 100 }), async (steps) => {
        const { state, get, settle } = world();
        for (const one of steps) {
          if (one.do === 'wait') state.now += one.ms;
          else if (one.do === 'switch') state.up = !state.up;
          else await observe(one.key, { state, get, settle });
        }
      }),
      { numRuns: 100 },
    );
  });
});

/** Requests a key and asserts the invariants of its answer. */
async function observe(key: string, { state, get, settle }: Pick<ReturnType<typeof world>, 'state' | 'get' | 'settle'>): Promise<void> {
  const [ttlMs, maxStaleAgeMs] = key === 'unknown' ? [15 * MINUTE_MS, HOUR_MS] : [6 * HOUR_MS, 24 * HOUR_MS];
  const before = state.asked.length;
  const answer = await get(key).catch(() => null);
  await settle();
  const calls = state.asked.length - before;
  expect(calls).toBeLessThanOrEqual(1);
  if (!answer) return expect(state.up).toBe(false);
  const age = state.now - answer.freshness.fetchedAt;
  expect(age).toBeLessThan(maxStaleAgeMs);
  expect(answer.freshness.stale).toBe(age >= ttlMs);
  if (answer.freshness.cached) expect(calls).toBe(age < ttlMs ? 0 : 1);
}
