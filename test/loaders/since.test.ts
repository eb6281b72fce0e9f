import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/time.ts';
import type { FetchingLoader } from '../../src/loaders/loader.ts';
import { createLoaders } from '../../src/loaders/loader.ts';
import type { Use } from '../../src/sources/source.ts';

const use: Use = () => {
  throw new Error('these loaders use no source');
};

/** Creates a source that answers on demand, and a stopped clock. */
function world() {
  const state = { now: 1_000, calls: 0, up: true };
  const pending: (() => void)[] = [];
  const loader: FetchingLoader<string, number> = {
    name: 'counted',
    key: (key) => key,
    cache: { ttlMs: () => HOUR_MS, maxStaleAgeMs: () => 24 * HOUR_MS },
    batch: (keys) =>
      keys.map(async () => {
        state.calls += 1;
        const value = state.calls;
        await new Promise<void>((resolve) => pending.push(resolve));
        if (!state.up) throw new Error('source down');
        return { value, dataAsOf: null };
      }),
  };
  const loaders = createLoaders(use, () => state.now);
  const answerAll = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    for (const open of pending.splice(0)) open();
  };
  const get = async (since?: number) => loaders.scope({ since })(loader, 'a');
  return { state, get, answerAll, pending };
}

describe('a scope that asks for answers since a moment', () => {
  it('fetches again when the cached answer is older, and shares the new answer', async () => {
    const { state, get, answerAll } = world();
    const first = get();
    await answerAll();
    expect((await first).value).toBe(1);
    state.now = 2_000;
    const second = get(2_000);
    await answerAll();
    expect(await second).toMatchObject({ value: 2, freshness: { cached: false } });
    expect((await get()).value).toBe(2);
  });

  it('uses a cached answer fetched since, without a call', async () => {
    const { state, get, answerAll } = world();
    state.now = 2_000;
    const first = get();
    await answerAll();
    await first;
    state.now = 3_000;
    expect((await get(1_500)).value).toBe(1);
    expect(state.calls).toBe(1);
  });

  it('joins a running call only if it began since', async () => {
    const { state, get, answerAll } = world();
    const before = get();
    await new Promise((resolve) => setImmediate(resolve));
    state.now = 2_000;
    const [since, another] = [get(2_000), get(2_000)];
    await answerAll();
    expect((await Promise.all([before, since, another])).map(({ value }) => value)).toEqual([1, 2, 2]);
  });

  it('fetches now for a moment that this process has not reached, as of a process whose clock is ahead', async () => {
    const { state, get, answerAll } = world();
    const before = get();
    await answerAll();
    await before;
    state.now = 2_000;
    const ahead = get(2_050);
    await answerAll();
    expect((await ahead).value).toBe(2);
  });

  it('caches the answer of the later call, whichever arrives last', async () => {
    const { state, get, pending } = world();
    const before = get();
    await new Promise((resolve) => setImmediate(resolve));
    state.now = 2_000;
    const since = get(2_000);
    await new Promise((resolve) => setImmediate(resolve));
    pending[1]?.();
    await since;
    pending[0]?.();
    await before;
    expect((await get()).value).toBe(2);
  });

  it('MO-06 fails when the source fails, even with a fresh cached answer', async () => {
    const { state, get, answerAll } = world();
    const first = get();
    await answerAll();
    await first;
    state.now = 2_000;
    state.up = false;
    const second = get(2_000);
    second.catch(() => undefined);
    await answerAll();
    await expect(second).rejects.toThrow('source down');
    expect((await get()).value).toBe(1);
  });
});
