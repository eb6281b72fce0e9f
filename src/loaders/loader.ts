import DataLoader from 'dataloader';
import { TtlCache } from '../cache/ttl-cache.ts';
import type { Answer } from '../domain/answer.ts';
import type { ModuleName } from '../domain/modules.ts';
import type { Observer } from '../domain/observer.ts';
import type { Clock } from '../domain/time.ts';
import type { Use } from '../sources/source.ts';
import type { FetchingLoader } from './fetching-loader.ts';

/** A question answered from other questions, written for one key; its loads meet in the batches below it. Kept nowhere. */
export interface DerivedLoader<K, V> {
  readonly name: string;
  readonly key: (key: K) => string;
  readonly answer: (key: K, load: Load, now: Clock) => Promise<Answer<V>>;
}

export type Loader<K, V> = FetchingLoader<K, V> | DerivedLoader<K, V>;

/** A question that callers may ask, with the module they must have. */
export type Offered<K, V> = Loader<K, V> & {
  readonly module: ModuleName;
  /** False for an answer that is not counted as use of the module; every answer is where this is left out. */
  readonly counts?: (value: V) => boolean;
};

/** What loaders and jobs do to each other: no caller, no permission, no count. Rejects with the question's failure. */
export type Load = <K, V>(loader: Loader<K, V>, key: K) => Promise<Answer<V>>;

export interface ScopeOptions {
  /** Epoch ms: what was read before is asked again. */
  readonly since?: number;
  /** Aborted when nobody waits for what is loaded here any more. */
  readonly signal?: AbortSignal;
}

/** The process-wide half: one cache per fetching loader. */
export interface Loaders {
  /** One set of DataLoaders: for one request, or one event of a subscription; never longer. */
  scope(options?: ScopeOptions): Load;
}

export function createLoaders(use: Use, now: Clock, observer?: Observer): Loaders {
  const caches = new Map<object, TtlCache<unknown, unknown>>();

  function cacheOf<K, V>(loader: FetchingLoader<K, V>): TtlCache<K, V> {
    const kept = caches.get(loader) ?? new TtlCache<K, V>(loader, use, now, observer);
    caches.set(loader, kept as TtlCache<unknown, unknown>);
    return kept as TtlCache<K, V>;
  }

  return {
    scope({ since = Number.NEGATIVE_INFINITY, signal } = {}) {
      const memos = new Map<object, (key: never) => Promise<Answer<unknown>>>();
      const load: Load = <K, V>(loader: Loader<K, V>, key: K) => {
        let memo = memos.get(loader);
        if (!memo) {
          memo = 'batch' in loader ? batched(loader, cacheOf(loader), { since, signal }) : remembered(loader, load, now);
          memos.set(loader, memo);
        }
        return memo(key as never) as Promise<Answer<V>>;
      };
      return load;
    },
  };
}

/** Equal keys once, one batch per tick. A key's failure is kept for the scope: one failure a request, not five hundred. */
function batched<K, V>(
  loader: FetchingLoader<K, V>,
  cache: TtlCache<K, V>,
  { since, signal }: ScopeOptions,
): (key: K) => Promise<Answer<V>> {
  const memo = new DataLoader<K, Promise<Answer<V>>, string>(async (keys) => cache.through(keys, since, signal), {
    cacheKeyFn: loader.key,
  });
  return async (key) => {
    signal?.throwIfAborted();
    return memo.load(key);
  };
}

function remembered<K, V>(loader: DerivedLoader<K, V>, load: Load, now: Clock): (key: K) => Promise<Answer<V>> {
  const answers = new Map<string, Promise<Answer<V>>>();
  return (key) => {
    const text = loader.key(key);
    const answer = answers.get(text) ?? loader.answer(key, load, now);
    answers.set(text, answer);
    return answer;
  };
}
