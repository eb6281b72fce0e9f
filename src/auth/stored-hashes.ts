import type { Knex } from 'knex';
import { StaleIfErrorCache, type StaleIfErrorOptions } from '../cache/stale-if-error-cache.ts';
import { type HashTable, readHashPrefixes } from './store/hash-prefixes.ts';

const PREFIX_BYTES = 4;

/** The ages are those of the prefixes. */
export interface StoredHashesDeps extends Pick<StaleIfErrorOptions, 'ttlMs' | 'maxStaleAgeMs' | 'now'> {
  readonly db: Knex;
  readonly table: HashTable;
}

/** Tells which hashes a table may have, so that an unknown secret costs no statement in a flood of them. */
export interface StoredHashes {
  /** False if no stored hash has the same prefix. The prefixes of all hashes are read by one statement, at most once in `ttlMs`. */
  mayHave(hash: Buffer): Promise<boolean>;
  /** Discards the prefixes after a change by this process. */
  clear(): void;
}

export function createStoredHashes({ db, now, table, ttlMs, maxStaleAgeMs }: StoredHashesDeps): StoredHashes {
  const prefixes = new StaleIfErrorCache<ReadonlySet<number>>({ max: 1, ttlMs, maxStaleAgeMs, now });
  return {
    async mayHave(hash) {
      const stored = await prefixes.get('all', async () => prefixesIn(await readHashPrefixes(db, table, PREFIX_BYTES)));
      return stored.has(hash.readUInt32BE());
    },
    clear: () => prefixes.clear(),
  };
}

/** Reads the prefixes of many concatenated hashes as numbers. */
const prefixesIn = (bytes: Buffer): ReadonlySet<number> =>
  new Set(Array.from({ length: bytes.length / PREFIX_BYTES }, (_, i) => bytes.readUInt32BE(i * PREFIX_BYTES)));
