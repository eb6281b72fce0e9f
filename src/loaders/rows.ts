import DataLoader from 'dataloader';
import type { Knex } from 'knex';
import type { ModuleName } from '../domain/catalogue.ts';

/** Loads rows of our own tables, many keys per batch; not cached. The owner of the rows must be part of the key. */
export interface RowLoader<K, V> {
  readonly name: string;
  readonly module: ModuleName;
  readonly key: (key: K) => string;
  /** Keys → a value each, in order, in one SQL statement. */
  readonly rows: (keys: readonly K[], db: Knex) => Promise<readonly V[]>;
}

/** Reads rows: equal keys once, in one batch per tick. */
export type Read = <K, V>(loader: RowLoader<K, V>, key: K) => Promise<V>;

/** Creates a reader for one request or one subscription event; never for longer. */
export function createReader(db: Knex): Read {
  const memos = new Map<object, unknown>();
  return <K, V>(loader: RowLoader<K, V>, key: K) => {
    const kept = memos.get(loader) as DataLoader<K, V, string> | undefined;
    const memo = kept ?? new DataLoader<K, V, string>((keys) => loader.rows(keys, db), { cacheKeyFn: loader.key });
    memos.set(loader, memo);
    return memo.load(key);
  };
}
