import DataLoader from 'dataloader';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { type CacheMemory, createCacheMemory } from '../cache/memory.ts';
import type { SharedCache } from '../cache/shared.ts';
import { StaleIfErrorCache } from '../cache/stale-if-error-cache.ts';
import { type CachePolicy, type Fetch, type LookupOptions, TtlCache } from '../cache/ttl-cache.ts';
import { type Listening, listen } from '../db/listen.ts';
import type { Answer, Awaitable, Found } from '../domain/answer.ts';
import type { ModuleName } from '../domain/catalogue.ts';
import { type CompanyKey, type Country, companyKeyText, requireCountry } from '../domain/company.ts';
import type { Observer } from '../domain/observer.ts';
import type { Turns } from '../domain/slices.ts';
import { type Clock, MINUTE_MS } from '../domain/time.ts';
import { runInContext } from '../sources/http/call-context.ts';
import type { Use } from '../sources/source.ts';

/**
 * Loads from sources, many keys per batch; the process caches its answers under `cache`.
 * The object itself is the token by which it is loaded.
 */
export interface FetchingLoader<K, V> {
  readonly name: string;
  /** Maps a key to its cache key: keys with equal texts are loaded once. */
  readonly key: (key: K) => string;
  readonly cache: CachePolicy<V>;
  /** Form of the values of a live source: processes with a common Redis share its answers. */
  readonly form?: z.ZodType<V>;
  /** Version of the data behind the answers, e.g. of a list: when it changes, cached answers are void. */
  readonly cacheVersion?: (use: Use) => string | null;
  /** Returns one promise per key, in order. Each settles on its own, so a slow key does not delay the others. */
  readonly batch: (keys: readonly K[], use: Use) => readonly Promise<Found<V>>[];
}

/** Loads from other loaders, written for one key; the loads of concurrent keys share the batches below. Not cached; what it makes of answers may be kept with them. */
export interface DerivedLoader<K, V> {
  readonly name: string;
  readonly key: (key: K) => string;
  /** What is computed from answers in memory needs no promise. It may throw as well as reject. */
  readonly answer: (key: K, load: Load, now: Clock) => Awaitable<Answer<V>>;
}

export type Loader<K, V> = FetchingLoader<K, V> | DerivedLoader<K, V>;

/** A loader that API callers may use, with the module that must be enabled on their key. */
export type Offered<K, V> = Loader<K, V> & {
  readonly module: ModuleName;
  /** Returns false for an answer that is not counted as usage of the module. Every answer counts where this is left out. */
  readonly counts?: (value: V) => boolean;
  /** True for a part of an answer that the same request has been given already: it takes no token of the rate limit and is not counted. */
  readonly included?: true;
};

/**
 * Loads without a caller: no permission check, no usage record. Loaders and jobs use it. An answer in memory is returned without a promise.
 * Rejects with the loader's failure, and never throws.
 */
export type Load = <K, V>(loader: Loader<K, V>, key: K) => Awaitable<Answer<V>>;

export interface ScopeOptions {
  /** Id of the API key that asks; none for work in the background. Calls to sources are shared fairly by caller. */
  readonly caller?: string;
  /** Epoch ms: answers requested before this moment are fetched again. */
  readonly since?: number;
  /** Aborts when nobody waits for the loads of this scope any more. */
  readonly signal?: AbortSignal;
  /** Batches wait for the last of these turns: work that waits for its turn may ask for more keys. */
  readonly turns?: Turns;
}

export interface LoadersOptions {
  /** Bounds the caches; a memory of their own by default. */
  readonly memory?: CacheMemory;
  /** Without it each process fetches for itself. */
  readonly shared?: SharedCache | undefined;
  readonly observer?: Observer | undefined;
}

/** The loaders of this process: one cache per fetching loader. */
export interface Loaders {
  /** Creates one set of DataLoaders, for one request or one subscription event; never for longer. */
  scope(options?: ScopeOptions): Load;
}

export function createLoaders(use: Use, now: Clock, { memory = createCacheMemory(), shared, observer }: LoadersOptions = {}): Loaders {
  const caches = new Map<object, TtlCache<unknown, unknown>>();

  function cacheOf<K, V>(loader: FetchingLoader<K, V>): TtlCache<K, V> {
    const known = caches.get(loader);
    if (known) return known as TtlCache<K, V>;
    const { name, key, cache: policy, form } = loader;
    const fetch: Fetch<K, V> = (wanted, context) =>
      runInContext(context, () =>
        observedBatch(
          loader,
          wanted.map((one) => one.key),
          use,
          observer,
        ),
      );
    const isShared = shared !== undefined && form !== undefined;
    const cache = new TtlCache<K, V>({
      name,
      memory,
      key,
      policy,
      version: () => loader.cacheVersion?.(use) ?? null,
      fetch: isShared ? shared.inFrontOf({ name, key, policy, form }, fetch) : fetch,
      isShared,
      now,
      onLookup: (result) => observer?.countLoaderAnswer(name, result),
    });
    caches.set(loader, cache as TtlCache<unknown, unknown>);
    return cache;
  }

  return {
    scope(options = {}) {
      const memos = new Map<object, (key: never) => Awaitable<Answer<unknown>>>();
      const load: Load = <K, V>(loader: Loader<K, V>, key: K) => {
        let memo = memos.get(loader);
        if (!memo) {
          memo =
            'batch' in loader
              ? memoized(loader.key, fetching(cacheOf(loader), { ...options, request: memos }))
              : memoized(loader.key, (one) => loader.answer(one, load, now));
          memos.set(loader, memo);
        }
        return memo(key as never) as Awaitable<Answer<V>>;
      };
      return load;
    },
  };
}

/** Answers from the cache; what is not fresh there is loaded in one batch per tick. */
function fetching<K, V>(cache: TtlCache<K, V>, options: LookupOptions & Pick<ScopeOptions, 'turns'>): (key: K) => Awaitable<Answer<V>> {
  const batches = new DataLoader<K, Promise<Answer<V>>>(async (keys) => cache.getMany(keys, options), {
    cache: false,
    batchScheduleFn: after(options.turns),
  });
  const inNextBatch = async (key: K): Promise<Answer<V>> => batches.load(key);
  return (key) => {
    options.signal?.throwIfAborted();
    return cache.getFresh(key, options) ?? inNextBatch(key);
  };
}

/** Schedules batches as DataLoader does, once every promise that could settle has settled, and after the last of the turns. */
function after(turns: Turns | undefined): (dispatch: () => void) => void {
  const schedule = (dispatch: () => void): void => {
    void Promise.resolve().then(() => process.nextTick(dispatchAfterTurns, dispatch));
  };
  const dispatchAfterTurns = (dispatch: () => void): void => {
    if (turns?.last) void turns.last.then(() => schedule(dispatch));
    else dispatch();
  };
  return schedule;
}

/** Loads equal keys once. Keeps a key's failure for the scope, too: 500 readers of one key cause one failed call. */
function memoized<K, V>(keyText: (key: K) => string, answer: (key: K) => Awaitable<Answer<V>>): (key: K) => Awaitable<Answer<V>> {
  const answers = new Map<string, Awaitable<Answer<V>>>();
  return (key) => {
    const text = keyText(key);
    const known = answers.get(text);
    if (known) return known;
    const loaded = withoutThrow(() => answer(key));
    answers.set(text, loaded);
    return loaded;
  };
}

/** Returns what is thrown as a rejection. */
function withoutThrow<T>(make: () => Awaitable<T>): Awaitable<T> {
  try {
    return make();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Runs one batch as a span, which ends when every key has settled. */
function observedBatch<K, V>(
  loader: FetchingLoader<K, V>,
  keys: readonly K[],
  use: Use,
  observer: Observer | undefined,
): readonly Promise<Found<V>>[] {
  const span = observer?.startSpan({ kind: 'batch', name: loader.name, size: keys.length });
  if (!span) return loader.batch(keys, use);
  const results = span.run(() => loader.batch(keys, use));
  void Promise.allSettled(results).then((all) => span.end(all.some(({ status }) => status === 'rejected') ? 'failed' : 'ok'));
  return results;
}

/** A loader about one company, offered to API callers. It states which countries it serves; REST routes read the same two facts. */
export interface CompanyLoader<C extends Country, V> extends DerivedLoader<CompanyKey, V> {
  readonly module: Offered<CompanyKey, V>['module'];
  readonly counts?: (value: V) => boolean;
  readonly countries: readonly C[];
  /** Starts the error message for another country: "KYB is answered for BR, CL only." */
  readonly subject: string;
}

type CompanyLoaderSpec<C extends Country, V> = Omit<CompanyLoader<C, V>, 'key' | 'answer'> & {
  readonly answer: (key: CompanyKey<C>, load: Load, now: Clock) => Awaitable<Answer<V>>;
};

/** Creates a loader by company that rejects other countries with UNSUPPORTED_COUNTRY before it loads anything. */
export const companyLoader = <C extends Country, V>({ answer, ...rest }: CompanyLoaderSpec<C, V>): CompanyLoader<C, V> => ({
  ...rest,
  key: companyKeyText,
  answer: ({ country, taxId }, load, now) => answer({ country: requireCountry(country, rest.countries, rest.subject), taxId }, load, now),
});

/** Loads rows of our own tables, many keys per batch; not cached. The owner of the rows must be part of the key. */
export interface RowLoader<K, V> {
  readonly name: string;
  readonly module: ModuleName;
  readonly key: (key: K) => string;
  /** Keys → a value each, in order, in one SQL statement. */
  readonly rows: (keys: readonly K[], db: Knex) => Promise<readonly V[]>;
  /** For values that rarely change: each process caches them until a notification on this channel, for a minute at most. */
  readonly channel?: string;
}

/** Reads rows: equal keys once, in one batch per tick. */
export type Read = <K, V>(loader: RowLoader<K, V>, key: K) => Promise<V>;

/** Reads rows of our own tables for requests. */
export interface Rows {
  /** Creates a reader for one request or one subscription event; never for longer. Its batches wait for the last of the turns. */
  reader(turns?: Turns): Read;
  /** Voids in this process what was cached under a channel. Writers call it after their commit; the notification does the same everywhere. */
  forget(channel: string): void;
  close(): Promise<void>;
}

const CACHED_ROWS = { ttlMs: MINUTE_MS, maxStaleAgeMs: MINUTE_MS, max: 10_000 };

export function createRows({ db, now, log }: { readonly db: Knex; readonly now: Clock; readonly log: Logger }): Rows {
  const caches = new Map<object, StaleIfErrorCache<unknown>>();
  /** Per channel the number of its notifications. It is part of the cache keys: a read that began before a notification is not found after it. */
  const versions = new Map<string, number>();
  const listening = new Map<string, Listening>();

  const forget = (channel: string): void => void versions.set(channel, (versions.get(channel) ?? 0) + 1);

  function follow(channel: string): number {
    if (!listening.has(channel)) listening.set(channel, listen(db, channel, { onNotify: () => forget(channel), log }));
    return versions.get(channel) ?? 0;
  }

  function cacheOf<V>(loader: object): StaleIfErrorCache<V> {
    const cache = caches.get(loader) ?? new StaleIfErrorCache({ ...CACHED_ROWS, now });
    caches.set(loader, cache);
    return cache as StaleIfErrorCache<V>;
  }

  return {
    reader(turns) {
      const memos = new Map<unknown, unknown>();
      return <K, V>(loader: RowLoader<K, V>, key: K) => {
        const kept = memos.get(loader) as DataLoader<K, V, string> | undefined;
        const memo =
          kept ?? new DataLoader<K, V, string>((keys) => loader.rows(keys, db), { cacheKeyFn: loader.key, batchScheduleFn: after(turns) });
        memos.set(loader, memo);
        if (loader.channel === undefined) return memo.load(key);
        return cacheOf<V>(loader).get(`${follow(loader.channel)} ${loader.key(key)}`, () => memo.load(key));
      };
    },
    forget,
    async close() {
      await Promise.all([...listening.values()].map((one) => one.stop()));
    },
  };
}
