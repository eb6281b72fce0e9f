import { bulkhead } from 'cockatiel';
import DataLoader from 'dataloader';
import type { z } from 'zod';
import type { LookupOptions } from '../cache/lookups.ts';
import { type CacheMemory, createCacheMemory } from '../cache/memory.ts';
import type { SharedCache } from '../cache/shared.ts';
import { type CachePolicy, type Fetch, TtlCache } from '../cache/ttl-cache.ts';
import { type Answer, type Awaitable, type Found, live, whenKnown } from '../domain/answer.ts';
import type { ModuleName, SourceName } from '../domain/catalogue.ts';
import { type CompanyKey, type Country, companyKeyText, requireCountry } from '../domain/company.ts';
import { sourceUnavailable } from '../domain/errors.ts';
import { type Clock, SECOND_MS } from '../domain/time.ts';
import type { Subject } from '../messages/subjects.ts';
import type { Observer } from '../observer.ts';
import { afterSlices, type RequestSlices } from '../scheduling/slices.ts';
import { runInContext } from '../sources/http/call-context.ts';
import type { Source, SourceInstance, Use } from '../sources/source.ts';
import { type Basis, BasisCollector, DerivedCache, type LoaderTime, versionCounter } from './derived-cache.ts';

/**
 * Loads from sources, many keys per batch. The process caches its answers under `cache`. The object itself is the token by which it is
 * loaded.
 */
export interface FetchingLoader<K, V> {
  readonly name: string;
  /** Maps a key to its cache key. Keys with equal texts are loaded once. */
  readonly key: (key: K) => string;
  readonly cache: CachePolicy<V>;
  /** Schema of the values of a live source. Processes with a common Redis share its answers. */
  readonly schema?: z.ZodType<V>;
  /** Returns the version of the data behind the answers, e.g. of a list. When it changes, cached answers are invalid. */
  readonly cacheVersion?: (use: Use) => string | null;
  /** Returns one promise per key, in order. Each settles independently, so that a slow key does not delay the others. */
  readonly batch: (keys: readonly K[], use: Use) => readonly Promise<Found<V>>[];
}

/** Loads from other loaders. It is written for one key; the loads of concurrent keys share the batches below. */
export interface DerivedLoader<K, V> {
  readonly name: string;
  readonly key: (key: K) => string;
  /**
   * Computes the answer. An answer that is computed from answers in memory needs no promise, and is cached while these are fresh. It must
   * depend on the key, on the loaded answers and on `time` alone. The function may throw as well as reject.
   */
  readonly answer: (key: K, load: Load, time: LoaderTime) => Awaitable<Answer<V>>;
  /** Adds the time of the request (epoch ms) to an answer, which may be a cached one. */
  readonly dated?: (answer: Answer<V>, now: number) => Answer<V>;
}

export type Loader<K, V> = FetchingLoader<K, V> | DerivedLoader<K, V>;

/** A loader that API callers may use, with the module that must be enabled on their key. */
export type Offered<K, V> = Loader<K, V> & {
  readonly module: ModuleName;
  /** Returns false for an answer that is not counted as usage of the module. Without it every answer counts. */
  readonly counts?: (value: V) => boolean;
  /** True for a part of an answer that the same request has already received. It takes no token of the rate limit and is not counted. */
  readonly included?: true;
};

/**
 * Loads without a caller, that is, without a permission check or usage record. Loaders and jobs use it. An answer in memory is returned
 * without a promise. It rejects with the loader's failure, and never throws.
 */
export type Load = <K, V>(loader: Loader<K, V>, key: K) => Awaitable<Answer<V>>;

/** The loads of one request. */
export interface ScopedLoad extends Load {
  /** Returns true for a derived answer that is in memory, so that it is loaded at once, without a batch. */
  readonly isKept: <K, V>(loader: Loader<K, V>, key: K) => boolean;
}

export interface ScopeOptions {
  /** Id of the API key of the request; undefined for background work. Calls to sources are shared fairly by caller. */
  readonly caller?: string;
  /** Epoch ms. Answers requested before it are fetched again. */
  readonly since?: number;
  /** Aborts when nobody waits for the loads of this scope any more. */
  readonly signal?: AbortSignal;
  /** Slices that batches wait for, because work that waits for its slice may load more keys. */
  readonly slices?: RequestSlices;
}

export interface LoadersOptions {
  /** Memory that limits the caches; by default they have a separate one. */
  readonly memory?: CacheMemory;
  /** Cache that processes share; without it each process fetches separately. */
  readonly shared?: SharedCache | undefined;
  readonly observer?: Observer | undefined;
}

/** The loaders of this process: one cache per fetching loader. */
export interface Loaders {
  /** Creates one set of DataLoaders, for one request or one subscription event; never for longer. */
  scope(options?: ScopeOptions): ScopedLoad;
}

export function createLoaders(use: Use, now: Clock, { memory = createCacheMemory(), shared, observer }: LoadersOptions = {}): Loaders {
  const caches = new Map<object, TtlCache<unknown, unknown>>();

  function cacheOf<K, V>(loader: FetchingLoader<K, V>): TtlCache<K, V> {
    const known = caches.get(loader);
    if (known) return known as TtlCache<K, V>;
    const { name, key, cache: policy, schema } = loader;
    const fetch: Fetch<K, V> = (wanted, context) =>
      runInContext(context, () =>
        observedBatch(
          loader,
          wanted.map((one) => one.key),
          use,
          observer,
        ),
      );
    const isShared = shared !== undefined && schema !== undefined;
    const version = (): string | null => loader.cacheVersion?.(use) ?? null;
    const sharedKey = (one: K): string => {
      const known = version();
      return known === null ? key(one) : `${known}|${key(one)}`;
    };
    const cache = new TtlCache<K, V>({
      name,
      memory,
      key,
      policy,
      version,
      fetch: isShared ? shared.wrapFetch({ name, key: sharedKey, policy, schema }, fetch) : fetch,
      isShared,
      now,
      onLookup: (result) => observer?.countLoaderAnswer(name, result),
    });
    caches.set(loader, cache as TtlCache<unknown, unknown>);
    return cache;
  }

  const derivedCache = new DerivedCache({
    memory,
    now,
    versions: versionCounter(() => caches.values()),
    countsHits: observer !== undefined,
  });

  return {
    scope(options = {}) {
      const memos = new Map<object, Map<string, Loaded<unknown>>>();
      const batches = new Map<object, unknown>();
      /**
       * Collector of the derived answer that is being computed; null while none is. Code after an `await` does not contribute to a basis.
       */
      let collector: BasisCollector | null = null;

      async function inNextBatch<K, V>(loader: FetchingLoader<K, V>, key: K): Promise<Answer<V>> {
        const known = batches.get(loader) as DataLoader<K, Promise<Answer<V>>> | undefined;
        const lookup = { ...options, request: memos };
        const batch = known ?? batchOf(cacheOf(loader), lookup);
        batches.set(loader, batch);
        return batch.load(key);
      }

      function fetched<K, V>(loader: FetchingLoader<K, V>, key: K): Loaded<V> {
        options.signal?.throwIfAborted();
        const entry = cacheOf(loader).getFresh(key, options);
        if (entry) return { answer: entry.answer, basis: { entries: [entry], dates: [] } };
        return { answer: inNextBatch(loader, key), basis: null };
      }

      /** Computes an answer. Only answers that no other answer is computed from are cached; the others are read together with theirs. */
      function computed<K, V>(loader: DerivedLoader<K, V>, key: K, text: string): Loaded<V> {
        const outer = collector;
        const own = new BasisCollector(now);
        collector = own;
        try {
          const answer = loader.answer(key, load, own);
          const basis = answer instanceof Promise ? null : own.basis;
          if (outer === null && basis !== null) derivedCache.keep(loader, text, answer as Answer<V>, basis);
          return { answer, basis };
        } finally {
          collector = outer;
        }
      }

      function derived<K, V>(loader: DerivedLoader<K, V>, key: K, text: string): Loaded<V> {
        const { dated } = loader;
        const loaded = (derivedCache.find(loader, text, options) as Loaded<V> | undefined) ?? computed(loader, key, text);
        return dated ? { answer: whenKnown(loaded.answer, (answer) => dated(answer, now())), basis: null } : loaded;
      }

      /** Loads equal keys once. The scope keeps a key's failure, too, so that 500 readers of one key cause one failed call. */
      function load<K, V>(loader: Loader<K, V>, key: K): Awaitable<Answer<V>> {
        const memo = memos.get(loader) ?? new Map<string, Loaded<unknown>>();
        memos.set(loader, memo);
        const text = loader.key(key);
        let loaded = memo.get(text) as Loaded<V> | undefined;
        if (!loaded) {
          loaded = withoutThrow(() => ('batch' in loader ? fetched(loader, key) : derived(loader, key, text)));
          memo.set(text, loaded);
        }
        collector?.add(loaded.basis);
        return loaded.answer;
      }
      const isKept = <K, V>(loader: Loader<K, V>, key: K): boolean => derivedCache.has(loader, loader.key(key), options);
      return Object.assign(load, { isKept });
    },
  };
}

/** The result of a load in a scope. */
interface Loaded<V> {
  readonly answer: Awaitable<Answer<V>>;
  /** Null for an answer that had to be awaited, or that depends on the time of the request. */
  readonly basis: Basis | null;
}

/** Loads keys that are not fresh in the cache, in one batch per tick. */
const batchOf = <K, V>(cache: TtlCache<K, V>, options: LookupOptions & Pick<ScopeOptions, 'slices'>): DataLoader<K, Promise<Answer<V>>> =>
  new DataLoader(async (keys) => cache.getMany(keys, options), { cache: false, batchScheduleFn: afterSlices(options.slices) });

/** Converts a thrown error to a rejection. */
function withoutThrow<V>(make: () => Loaded<V>): Loaded<V> {
  try {
    return make();
  } catch (error) {
    return { answer: Promise.reject(error), basis: null };
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

/** A loader about one company, offered to API callers. It declares the countries that it serves; REST routes read the same declaration. */
export interface CompanyLoader<C extends Country, V> extends DerivedLoader<CompanyKey, V> {
  readonly module: Offered<CompanyKey, V>['module'];
  readonly counts?: (value: V) => boolean;
  readonly countries: readonly C[];
  /** Subject of the error message for another country: "KYB is available for BR, CL only." */
  readonly subject: Subject;
}

type CompanyLoaderSpec<C extends Country, V> = Omit<CompanyLoader<C, V>, 'key' | 'answer'> & {
  readonly answer: (key: CompanyKey<C>, load: Load, time: LoaderTime) => Awaitable<Answer<V>>;
};

/** Creates a loader by company that rejects other countries with UNSUPPORTED_COUNTRY before it loads anything. */
export const companyLoader = <C extends Country, V>({ answer, ...rest }: CompanyLoaderSpec<C, V>): CompanyLoader<C, V> => ({
  ...rest,
  key: companyKeyText,
  answer: ({ country, taxId }, load, time) => answer({ country: requireCountry(country, rest.countries, rest.subject), taxId }, load, time),
});

export interface LiveLoaderSpec<K, V, S extends SourceInstance> {
  readonly name: string;
  /** Maps a key to its cache key. Keys with equal texts are loaded once. */
  readonly key: (key: K) => string;
  readonly cache: CachePolicy<V>;
  /** Schema of the values, by which processes share them through Redis. Without it each process fetches separately. */
  readonly schema?: z.ZodType<V>;
  /** Loads the answer of one key. `use` returns further sources that the answer needs. */
  readonly call: (source: S, key: K, use: Use) => Promise<V>;
}

/** Creates the loader of a live source: one call per key, 16 concurrent calls per batch. */
export const liveLoader = <K, V, S extends SourceInstance>(
  source: Source<S>,
  { name, key, cache, schema, call }: LiveLoaderSpec<K, V, S>,
): FetchingLoader<K, V> => ({
  name,
  key,
  cache,
  ...(schema && { schema }),
  batch: (keys, use) => callEach(source.name, keys, async (one) => live(await call(use(source), one, use))),
});

/** Time in ms after which a waiting call no longer starts. Including its own deadline, the batch ends within 15 s. */
const START_WITHIN_MS = 9 * SECOND_MS;

/**
 * Calls `source` once per key, at most 16 calls at a time, so that a long batch does not overload it.
 * @throws AppError SOURCE_UNAVAILABLE for the keys whose call could not start within 9 s
 */
export function callEach<K, V>(source: SourceName, keys: readonly K[], call: (key: K) => Promise<Found<V>>): readonly Promise<Found<V>>[] {
  const slots = bulkhead(16, Number.POSITIVE_INFINITY);
  const latestStart = performance.now() + START_WITHIN_MS;
  return keys.map((key) =>
    slots.execute(() => {
      if (performance.now() > latestStart) throw sourceUnavailable(source, 'too many calls before this one');
      return call(key);
    }),
  );
}
