import type { Answer, Found } from '../domain/answer.ts';
import type { Clock } from '../domain/time.ts';
import type { EntryOwner, FreshEntry, LookupOptions, LookupResult } from './lookups.ts';
import { type CacheEntry, type CacheMemory, sizeOf } from './memory.ts';

/** Times for which a cached answer is served. Durations are in ms and may depend on the value (shorter for "the registry has none"). */
export interface CachePolicy<V> {
  /** Age up to which an answer is fresh and served without a call. */
  readonly ttlMs: (value: V) => number;
  /**
   * Age up to which, from `ttlMs` on, the answer is served marked stale while one refresh runs (`stale-while-revalidate` of RFC 5861). It
   * is counted from the fetch like `ttlMs`; the window of RFC 5861 is the difference of the two. If both are equal, only fresh answers are
   * served.
   */
  readonly maxStaleAgeMs: (value: V) => number;
  /** Returns the part of a value that counts in memory, for values that share the rest with others, e.g. the version of their list. */
  readonly ownPart?: (value: V) => unknown;
}

export interface TtlCacheOptions<K, V> {
  /** Name for metrics. */
  readonly name: string;
  /** Counts and limits the bytes of this and other caches. */
  readonly memory: CacheMemory;
  /** Maps a key to its cache key. Equal texts share one entry. */
  readonly key: (key: K) => string;
  readonly policy: CachePolicy<V>;
  /** Returns the version of the data, e.g. of a list. A change invalidates every entry; null for data without versions. */
  readonly version: () => string | null;
  /** Fetches the keys that miss, in one batch. */
  readonly fetch: Fetch<K, V>;
  /** True when `fetch` may return answers that another process has requested before. */
  readonly isShared?: boolean;
  readonly now: Clock;
  /** Called once per key and lookup, for metrics. */
  readonly onLookup?: (result: LookupResult) => void;
}

/** A key to fetch. */
export interface Wanted<K> {
  readonly key: K;
  /** Epoch ms. An answer that was requested before it does not count. */
  readonly since: number;
}

/** The result of a fetch. */
export interface Fetched<V> extends Found<V> {
  /** Times in epoch ms at which another process requested and received the answer; undefined for an answer of this process. */
  readonly shared?: { readonly requestedAt: number; readonly receivedAt: number };
}

/**
 * Fetches keys in one batch. Returns one promise per key, in order; each settles independently. `caller` and `request` are those that
 * started the batch; `signal` aborts when no caller waits for it any more.
 */
export type Fetch<K, V> = (
  wanted: readonly Wanted<K>[],
  context: Pick<LookupOptions, 'caller' | 'request'> & { readonly signal: AbortSignal },
) => readonly Promise<Fetched<V>>[];

interface Entry<V> extends FreshEntry<V> {
  readonly text: string;
  readonly found: Fetched<V>;
  readonly version: string | null;
  readonly fetchedAt: number;
  readonly staleUntil: number;
  /** Answer once it is stale. It is one object, like `answer`, because derived values are cached by the identity of the answer. */
  stale?: Answer<V>;
}

/** A fetch that has not settled yet. */
interface PendingFetch<V> {
  /** Epoch ms. Its answer is requested at this time or later. */
  readonly since: number;
  /** Number of callers that wait for its batch. */
  readonly waiters: WaiterCount;
  readonly entry: Promise<Entry<V>>;
}

/**
 * Bytes of an entry besides its value and key: the object, its entries in two maps, its answers, and the values derived from them. The
 * number is measured by `npm run bench -- memory`.
 */
const ENTRY_BYTES = 1_800;

/**
 * Process-wide cache of answers by key. Concurrent misses of one key share one fetch; failures are never cached.
 * The memory bounds the size; ages are computed here from the injected clock.
 */
export class TtlCache<K, V> implements EntryOwner {
  readonly #options: TtlCacheOptions<K, V>;
  readonly #entries = new Map<string, Entry<V>>();
  readonly #pending = new Map<string, PendingFetch<V>>();

  constructor(options: TtlCacheOptions<K, V>) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Current version of the data; null for data without versions. */
  get version(): string | null {
    return this.#options.version();
  }

  drop(entry: CacheEntry): void {
    const { text, dependents } = entry as Entry<V>;
    if (this.#entries.get(text) === entry) this.#entries.delete(text);
    for (const dependent of dependents) dependent.isBroken = true;
  }

  /** Returns the fresh entry of a key in memory; undefined for any other key, which `getMany` fetches or refreshes in a batch. */
  getFresh(key: K, { since = Number.NEGATIVE_INFINITY }: LookupOptions = {}): FreshEntry<V> | undefined {
    const now = this.#options.now();
    const entry = this.#usableEntry(this.#options.key(key), { version: this.#options.version(), now, since });
    if (!entry || now >= entry.freshUntil) return undefined;
    this.#options.onLookup?.('hit');
    return entry;
  }

  isCurrent(entry: FreshEntry, { since = Number.NEGATIVE_INFINITY }: LookupOptions = {}): boolean {
    const { now, version: currentVersion, memory, onLookup } = this.#options;
    const { text, version, requestedAt, freshUntil } = entry as Entry<V>;
    if (this.#entries.get(text) !== entry || now() >= freshUntil || requestedAt < since || version !== currentVersion()) return false;
    memory.touch(entry);
    onLookup?.('hit');
    return true;
  }

  countHit(): void {
    this.#options.onLookup?.('hit');
  }

  /** Returns one answer per key, in order: from the cache, from a pending fetch, or from one new batch of all keys that miss. */
  getMany(
    keys: readonly K[],
    { caller, request, since: wanted = Number.NEGATIVE_INFINITY, signal }: LookupOptions = {},
  ): readonly Promise<Answer<V>>[] {
    const { now: clock, key: keyOf, onLookup } = this.#options;
    const now = clock();
    const since = Math.min(wanted, now); // the clock of the process that observed an event may be ahead
    const version = this.#options.version();
    const texts = keys.map(keyOf);
    const entries = texts.map((text) => this.#usableEntry(text, { version, now, since }));
    this.#fetch(
      keys.flatMap((key, i) => {
        const text = texts[i] ?? '';
        const entry = entries[i];
        if ((entry && now < entry.freshUntil) || this.#joinable(version, text, since)) return [];
        return [{ key, text, since: entry ? newerThan(entry) : since }];
      }),
      { version, caller, request },
    );
    const joined = new Set<WaiterCount>();
    const answers = texts.map((text, i) => {
      const entry = entries[i];
      onLookup?.(lookupResult(entry, now));
      if (entry) return Promise.resolve(cachedAnswer(entry, now));
      const pending = this.#joinable(version, text, since);
      if (!pending) throw new Error('every missing key must have a pending fetch');
      joined.add(pending.waiters);
      return pending.entry.then((fresh) =>
        fresh.found.shared ? cachedAnswer(fresh, clock()) : toAnswer(fresh, { cached: false, stale: false }),
      );
    });
    for (const waiters of joined) waiters.add(signal);
    return answers;
  }

  #usableEntry(text: string, { version, now, since }: { version: string | null; now: number; since: number }): Entry<V> | undefined {
    const entry = this.#entries.get(text);
    if (!entry || entry.version !== version || now >= entry.staleUntil || entry.requestedAt < since) return undefined;
    this.#options.memory.touch(entry);
    return entry;
  }

  #joinable(version: string | null, text: string, since: number): PendingFetch<V> | undefined {
    const pending = this.#pending.get(versioned(version, text));
    return pending && pending.since >= since && !pending.waiters.signal.aborted ? pending : undefined;
  }

  #fetch(
    missing: readonly (Wanted<K> & { readonly text: string })[],
    { version, caller, request }: Pick<LookupOptions, 'caller' | 'request'> & { version: string | null },
  ): void {
    if (missing.length === 0) return;
    const requestedAt = this.#options.now();
    const waiters = new WaiterCount();
    const results = this.#options.fetch(missing, { caller, request, signal: waiters.signal });
    missing.forEach(({ key, text, since }, i) => {
      const name = versioned(version, text);
      const entry: Promise<Entry<V>> = Promise.resolve(results[i] ?? Promise.reject(new Error('the batch returned no promise for a key')))
        .then((found) => {
          const stored = this.#store(text, found, { version, requestedAt: found.shared?.requestedAt ?? requestedAt });
          // The answer of another process may be stale already.
          if (found.shared && this.#options.now() >= stored.freshUntil) {
            this.#fetch([{ key, text, since: newerThan(stored) }], { version, caller, request });
          }
          return stored;
        })
        .finally(() => {
          if (this.#pending.get(name)?.entry === entry) this.#pending.delete(name); // a later fetch may have replaced this one
        });
      entry.catch(() => undefined); // a background refresh may fail without a caller; its source has logged the failure
      this.#pending.set(name, { since: this.#options.isShared ? since : requestedAt, waiters, entry });
    });
  }

  #store(text: string, found: Fetched<V>, { version, requestedAt }: Pick<Entry<V>, 'version' | 'requestedAt'>): Entry<V> {
    const { memory, policy } = this.#options;
    const { ttlMs, maxStaleAgeMs, ownPart = (value) => value } = policy;
    const receivedAt = found.shared?.receivedAt ?? this.#options.now();
    const goodUntil = found.goodUntil ?? Number.POSITIVE_INFINITY;
    const fetchedAt = found.fetchedAt ?? receivedAt;
    const freshUntil = Math.min(receivedAt + ttlMs(found.value), goodUntil);
    const entry: Entry<V> = {
      owner: this,
      answer: toAnswer({ found, fetchedAt, freshUntil }, { cached: true, stale: false }),
      bytes: ENTRY_BYTES + sizeOf(text) + sizeOf(ownPart(found.value)),
      text,
      found,
      version,
      requestedAt,
      fetchedAt,
      freshUntil,
      staleUntil: Math.min(receivedAt + maxStaleAgeMs(found.value), goodUntil),
      dependents: [],
    };
    const current = this.#entries.get(text);
    if (current && current.requestedAt > requestedAt) return entry; // a slow call must not overwrite a later one
    if (current) memory.remove(current);
    this.#entries.set(text, entry);
    memory.add(entry);
    return entry;
  }
}

function lookupResult(entry: Entry<unknown> | undefined, now: number): LookupResult {
  if (!entry) return 'miss';
  return now < entry.freshUntil ? 'hit' : 'stale';
}

/** Returns the minimum request time of an answer that replaces this one. */
const newerThan = ({ requestedAt }: Entry<unknown>): number => requestedAt + 1;

const versioned = (version: string | null, text: string): string => `${version ?? ''}|${text}`;

function cachedAnswer<V>(entry: Entry<V>, now: number): Answer<V> {
  if (now < entry.freshUntil) return entry.answer;
  entry.stale ??= toAnswer(entry, { cached: true, stale: true });
  return entry.stale;
}

const toAnswer = <V>(
  { found, fetchedAt, freshUntil }: Pick<Entry<V>, 'found' | 'fetchedAt' | 'freshUntil'>,
  { cached, stale }: { cached: boolean; stale: boolean },
): Answer<V> => ({
  value: found.value,
  freshness: { fetchedAt, dataAsOf: found.dataAsOf, cached, stale, expiresAt: freshUntil },
});

/** Reference-counted abort: counts the callers that wait for a shared fetch and aborts `signal` when the last one leaves. */
class WaiterCount {
  readonly #abort = new AbortController();
  #waiting = 0;

  /** Aborts when no caller waits any more; never aborts once a caller without a signal was added. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** @param signal aborts when this caller stops waiting; undefined for a caller that always waits */
  add(signal: AbortSignal | undefined): void {
    this.#waiting += 1;
    if (signal?.aborted) this.#remove();
    else signal?.addEventListener('abort', () => this.#remove(), { once: true });
  }

  #remove(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#abort.abort();
  }
}
