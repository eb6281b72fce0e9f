import { hash as hashOnce } from 'node:crypto';
import type { Knex } from 'knex';
import { recent } from '../../cache/recent.ts';
import { StaleIfErrorCache } from '../../cache/stale-if-error-cache.ts';
import type { Caller } from '../../context.ts';
import { toAccountLists } from '../../db/account-lists.ts';
import { BRIDGED_MS, staleAge } from '../../db/unavailable.ts';
import type { Clock } from '../../domain/time.ts';
import { findSecret, findSecrets, type SecretRow } from '../store/key-secrets.ts';
import { knownModules } from '../store/keys.ts';
import { createStoredHashes } from '../stored-hashes.ts';
import { isWellFormed } from './secret.ts';

export interface KeyLookupDeps {
  readonly db: Knex;
  readonly now: Clock;
  readonly hashOf: (key: string) => Buffer;
  /** True for the hash of the bootstrap key, which may have any form. */
  readonly isBootstrap: (hash: Buffer) => boolean;
}

export interface FindOptions {
  /**
   * True while many unknown keys are sent. Another unknown one then costs no statement. A key that another process issued is found after 4
   * s.
   */
  readonly isFlood?: boolean;
}

/** Finds the callers of API keys. */
export interface KeyLookup {
  find(key: string, options?: FindOptions): Promise<Caller | null>;
  /** Returns the caller that `find` would return without a read; null for any other key. It costs a tenth of `find`. */
  known(key: string): Caller | null;
  stillValid(secretHashes: readonly string[]): Promise<ReadonlyMap<string, Caller>>;
  /** Clears the cache of this process after a change. */
  clear(): void;
}

/** Age up to which a cached entry is used. It is below the 5 s within which a revocation must take effect. */
const TTL_MS = 4_000;
/** Maximum age of an entry that is served when a read fails. */
const MAX_STALE_AGE_MS = 5_000;
const MAX_ENTRIES = 5_000;
const HASH_ENCODING = 'base64';

/**
 * Looks up keys by one indexed read of the hash, cached for 4 s, also for unknown keys. A malformed key costs no read; a cached one is not
 * checked again. When a read fails, entries younger than 5 s are used; when the database is unavailable, valid keys that were read within
 * 30 s. Expiry is checked on every call, also for cached keys.
 *
 * In a flood of unknown keys, a key is read only if a stored hash has the same prefix as its own. These prefixes are read at most every 4
 * s.
 */
export function createKeyLookup({ db, now, hashOf, isBootstrap }: KeyLookupDeps): KeyLookup {
  const ages = { ttlMs: TTL_MS, maxStaleAgeMs: staleAge(MAX_STALE_AGE_MS, BRIDGED_MS), now };
  const cache = new StaleIfErrorCache<KnownCaller | null>({ max: MAX_ENTRIES, ...ages });
  /** One-shot hash of a valid key → its entry in the cache, because the keyed hash takes several microseconds. */
  const entries = recent<string, string>(MAX_ENTRIES);
  const stored = createStoredHashes({ db, table: 'api_key_secrets', ...ages });

  const ifValid = (known: KnownCaller | null): Caller | null => (known && now() < known.endsAt ? known.caller : null);

  return {
    async find(key, { isFlood = false } = {}) {
      const hash = hashOf(key);
      const entry = hash.toString(HASH_ENCODING);
      if (!cache.has(entry) && !cache.last(entry)) {
        if (!isWellFormed(key) && !isBootstrap(hash)) return null;
        if (isFlood && !(await stored.mayHave(hash))) return null;
      }
      const caller = ifValid(await cache.get(entry, async () => knownOf(await findSecret(db, hash))));
      if (caller) entries.set(shortHash(key), entry);
      return caller;
    },

    known(key) {
      const entry = entries.get(shortHash(key));
      return entry === undefined ? null : ifValid(cache.peek(entry) ?? null);
    },

    async stillValid(secretHashes) {
      const hashes = secretHashes.map((hash) => Buffer.from(hash, HASH_ENCODING));
      const rows = await findSecrets(db, hashes);
      const callers = rows.map((row) => ifValid(knownOf(row))).filter((caller) => caller !== null);
      return new Map(callers.map((caller) => [caller.secretHash, caller]));
    },

    clear() {
      cache.clear();
      entries.clear();
      stored.clear();
    },
  };
}

/** Returns a hash by which a key is found in memory, so that memory does not contain the key itself. */
const shortHash = (key: string): string => hashOnce('sha256', key, HASH_ENCODING);

/** A key that is not revoked. Requests share its caller for as long as it is cached. */
export interface KnownCaller {
  readonly caller: Caller;
  /** Epoch ms at which the key or the secret expires; infinite for never. */
  readonly endsAt: number;
}

export function knownOf(row: SecretRow | undefined): KnownCaller | null {
  if (!row || row.revoked_at) return null;
  const { hash, id, name, modules, role, account_id, plan, trusted_only, fails_incomplete, expires_at, secret_expires_at } = row;
  const expiresAt = expires_at?.getTime() ?? null;
  const endsAt = Math.min(expiresAt ?? Number.POSITIVE_INFINITY, secret_expires_at?.getTime() ?? Number.POSITIVE_INFINITY);
  const rules = { role, plan, expiresAt, trustedOnly: trusted_only, failsIncomplete: fails_incomplete };
  const terms = { modules: new Set(knownModules(modules)), ...rules };
  const account = { accountId: account_id, lists: toAccountLists(row), needsApproval: row.needs_approval };
  return { caller: { keyId: id, name, ...account, ...terms, secretHash: hash.toString(HASH_ENCODING) }, endsAt };
}
