import DataLoader from 'dataloader';
import type { Knex } from 'knex';
import type { ModuleName } from '../domain/modules.ts';

/** Rows of our own tables, for many keys at once; kept nowhere. Whose they are must be part of the key. */
export interface RowLoader<K, V> {
  readonly name: string;
  readonly module: ModuleName;
  readonly key: (key: K) => string;
  /** Keys → a value each, in order, in one SQL statement. */
  readonly rows: (keys: readonly K[], db: Knex) => Promise<readonly V[]>;
}

/** Reads rows: equal keys once, one batch per tick. */
export type Read = <K, V>(loader: RowLoader<K, V>, key: K) => Promise<V>;

/** For one request, or one event of a subscription; never longer. */
export function createReader(db: Knex): Read {
  const memos = new Map<object, unknown>();
  return <K, V>(loader: RowLoader<K, V>, key: K) => {
    const kept = memos.get(loader) as DataLoader<K, V, string> | undefined;
    const memo = kept ?? new DataLoader<K, V, string>((keys) => loader.rows(keys, db), { cacheKeyFn: loader.key });
    memos.set(loader, memo);
    return memo.load(key);
  };
}
