import { describe, expect, it } from 'vitest';
import type { Found } from '../../src/domain/answer.ts';
import type { FetchingLoader } from '../../src/loaders/loader.ts';
import { createLoaders } from '../../src/loaders/loader.ts';
import { cancellationSignal } from '../../src/sources/http/call-context.ts';
import type { Use } from '../../src/sources/source.ts';

const use: Use = () => {
  throw new Error('these loaders use no source');
};

/** Creates a source that answers on demand and records whether a caller waits. */
function world() {
  const fetches: { readonly signal: AbortSignal | undefined; readonly answer: () => void }[] = [];
  const loader: FetchingLoader<string, string> = {
    name: 'slow',
    key: (key) => key,
    cache: { ttlMs: () => 0, maxStaleAgeMs: () => 1_000 },
    batch: (keys) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      fetches.push({ signal: cancellationSignal(), answer: resolve });
      return keys.map((key): Promise<Found<string>> => promise.then(() => ({ value: `${key} ${fetches.length}`, dataAsOf: null })));
    },
  };
  const loaders = createLoaders(use, () => 0);
  const ask = (key: string, signal?: AbortSignal) => {
    const answer = Promise.resolve(loaders.scope(signal && { signal })(loader, key));
    answer.catch(() => undefined);
    return answer;
  };
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  return { fetches, ask, tick };
}

describe('GQ-12 a fetch', () => {
  it('is cancelled when its last waiter leaves', async () => {
    const { fetches, ask, tick } = world();
    const [one, other] = [new AbortController(), new AbortController()];
    void ask('a', one.signal);
    await tick();
    void ask('a', other.signal);
    await tick();
    expect(fetches.length).toBe(1);
    one.abort();
    expect(fetches[0]?.signal?.aborted).toBe(false);
    other.abort();
    expect(fetches[0]?.signal?.aborted).toBe(true);
  });

  it('continues for a waiter without an abort signal', async () => {
    const { fetches, ask, tick } = world();
    const leaving = new AbortController();
    const staying = ask('a');
    await tick();
    void ask('a', leaving.signal);
    await tick();
    leaving.abort();
    expect(fetches[0]?.signal?.aborted).toBe(false);
    fetches[0]?.answer();
    expect((await staying).value).toBe('a 1');
  });

  it('that was cancelled is not joined: the next caller starts a new one', async () => {
    const { fetches, ask, tick } = world();
    const leaving = new AbortController();
    void ask('a', leaving.signal);
    await tick();
    leaving.abort();
    const answer = ask('a');
    await tick();
    expect(fetches.length).toBe(2);
    fetches[1]?.answer();
    expect((await answer).value).toBe('a 2');
  });

  it('is not started for a caller that has already left', async () => {
    const { fetches, ask, tick } = world();
    const left = new AbortController();
    left.abort(new Error('gone'));
    await expect(ask('a', left.signal)).rejects.toThrow('gone');
    await tick();
    expect(fetches.length).toBe(0);
  });
});
