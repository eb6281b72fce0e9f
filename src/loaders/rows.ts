import DataLoader from 'dataloader';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { StaleIfErrorCache } from '../cache/stale-if-error-cache.ts';
import { type Listening, listen } from '../db/listen.ts';
import { BRIDGED_MS, staleAge } from '../db/unavailable.ts';
import type { ModuleName } from '../domain/catalogue.ts';
import { type Clock, MINUTE_MS } from '../domain/time.ts';
import { afterSlices, type RequestSlices } from '../scheduling/slices.ts';

/** Loads rows of our own tables, many keys per batch, without a cache. The owner of the rows must be part of the key. */
export interface RowLoader<K, V> {
  readonly name: string;
  /** The module that the key needs, or several of which it needs one. */
  readonly module: ModuleName | readonly [ModuleName, ...ModuleName[]];
  readonly key: (key: K) => string;
  /** Reads one value per key, in order, in one SQL statement. */
  readonly rows: (keys: readonly K[], db: Knex) => Promise<readonly V[]>;
  /**
   * Channel of values that rarely change. Each process caches them until a notification on the channel, for a minute at most, or 30 s longer
   * while the database is unavailable.
   */
  readonly channel?: string;
}

/** Query with the account or the API key of the request, so that an answer is never that of another one. */
type OwnedQuery = { readonly accountId: string } | { readonly keyId: string };

/** Returns the function that creates the row loaders of a module, from functions of its store. */
export const rowLoadersOf =
  (module: RowLoader<unknown, unknown>['module']) =>
  <Q extends OwnedQuery, V>(name: string, rows: (db: Knex, queries: readonly Q[]) => Promise<readonly V[]>): RowLoader<Q, V> => ({
    name,
    module,
    key: (query) => JSON.stringify(query),
    rows: (queries, db) => rows(db, queries),
  });

/** Reads rows. Equal keys are read once, in one batch per tick. */
export type Read = <K, V>(loader: RowLoader<K, V>, key: K) => Promise<V>;

/** Reads rows of our own tables for requests. */
export interface Rows {
  /** Creates a reader for one request or one subscription event; never for longer. Its batches wait for the last of the slices. */
  reader(slices?: RequestSlices): Read;
  /**
   * Invalidates the cached values of a channel in this process. Writers call it after their commit; the notification does the same in all
   * processes.
   */
  forget(channel: string): void;
  close(): Promise<void>;
}

const CACHED_ROWS = { ttlMs: MINUTE_MS, maxStaleAgeMs: staleAge(MINUTE_MS, MINUTE_MS + BRIDGED_MS), max: 10_000 };

export function createRows({ db, now, log }: { readonly db: Knex; readonly now: Clock; readonly log: Logger }): Rows {
  const caches = new Map<object, StaleIfErrorCache<unknown>>();
  /**
   * Number of notifications per channel. It is part of the cache keys, so that a read that began before a notification is not found after
   * it.
   */
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
    reader(slices) {
      const memos = new Map<unknown, unknown>();
      return <K, V>(loader: RowLoader<K, V>, key: K) => {
        const kept = memos.get(loader) as DataLoader<K, V, string> | undefined;
        const memo =
          kept ??
          new DataLoader<K, V, string>((keys) => loader.rows(keys, db), { cacheKeyFn: loader.key, batchScheduleFn: afterSlices(slices) });
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
