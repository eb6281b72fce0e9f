import { createHash, createHmac } from 'node:crypto';
import type { Knex } from 'knex';
import { StaleIfErrorCache } from '../../cache/stale-if-error-cache.ts';
import type { Caller } from '../../context.ts';
import { MODULES, type ModuleName } from '../../domain/catalogue.ts';
import type { Clock } from '../../domain/time.ts';

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
  stillValid(secretHashes: readonly string[]): Promise<ReadonlyMap<string, Caller>>;
  /** Clears the cache of this process after a change. */
  clear(): void;
}

/** Creates the keyed hash by which secrets are stored and looked up. */
export const createKeyHash =
  (secret: string) =>
  (key: string): Buffer =>
    createHmac('sha256', secret).update(key).digest();

/** Age up to which a cached entry is used. It is below the 5 s within which a revocation must take effect. */
const TTL_MS = 4_000;
/** Maximum age of an entry that is served when the database fails. */
const MAX_STALE_AGE_MS = 5_000;
const MAX_ENTRIES = 5_000;
const HASH_ENCODING = 'base64';
const PREFIX_BYTES = 4;

/**
 * Looks up keys by one indexed read of the hash, cached for 4 s, also for unknown keys. A malformed key costs no read; a cached one is not
 * checked again. On a database error, entries younger than 5 s are used. Expiry is checked on every call, also for cached keys.
 *
 * In a flood of unknown keys, a key is read only if a stored hash has the same prefix as its own. These prefixes are read at most every 4
 * s.
 */
export function createKeyLookup({ db, now, hashOf, isBootstrap }: KeyLookupDeps): KeyLookup {
  const ages = { ttlMs: TTL_MS, maxStaleAgeMs: MAX_STALE_AGE_MS, now };
  const cache = new StaleIfErrorCache<Known | null>({ max: MAX_ENTRIES, ...ages });
  const prefixes = new StaleIfErrorCache<ReadonlySet<number>>({ max: 1, ...ages });

  async function mayBeStored(hash: Buffer): Promise<boolean> {
    const stored = await prefixes.get('all', async () => {
      const { rows } = await db.raw('SELECT string_agg(substr(hash, 1, ?), NULL) AS bytes FROM api_key_secrets', [PREFIX_BYTES]);
      return prefixesIn((rows[0] as { readonly bytes: Buffer | null }).bytes ?? Buffer.of());
    });
    return stored.has(hash.readUInt32BE());
  }

  const ifValid = (known: Known | null): Caller | null => (known && now() < known.endsAt ? known.caller : null);

  return {
    async find(key, { isFlood = false } = {}) {
      const hash = hashOf(key);
      const entry = hash.toString(HASH_ENCODING);
      if (!cache.has(entry)) {
        if (!isWellFormed(key) && !isBootstrap(hash)) return null;
        if (isFlood && !(await mayBeStored(hash))) return null;
      }
      return ifValid(
        await cache.get(entry, async () => {
          const { rows } = await db.raw(`SELECT ${COLUMNS} WHERE s.hash = ?`, [hash]);
          return knownOf(rows[0]);
        }),
      );
    },

    async stillValid(secretHashes) {
      const hashes = secretHashes.map((hash) => Buffer.from(hash, HASH_ENCODING));
      const { rows } = await db.raw(`SELECT ${COLUMNS} WHERE s.hash = ANY (?::bytea[])`, [hashes as unknown as Knex.Value]);
      const callers = (rows as Row[]).map((row) => ifValid(knownOf(row))).filter((caller) => caller !== null);
      return new Map(callers.map((caller) => [caller.secretHash, caller]));
    },

    clear() {
      cache.clear();
      prefixes.clear();
    },
  };
}

/** Reads the prefixes of many concatenated hashes as numbers. */
const prefixesIn = (bytes: Buffer): ReadonlySet<number> =>
  new Set(Array.from({ length: bytes.length / PREFIX_BYTES }, (_, i) => bytes.readUInt32BE(i * PREFIX_BYTES)));

const COLUMNS = `s.hash, k.id, k.name, k.modules, k.account_id, k.plan, k.trusted_only, k.fails_incomplete, k.revoked_at, k.expires_at, s.expires_at AS secret_expires_at
  FROM api_key_secrets s JOIN api_keys k ON k.id = s.key_id`;

interface Row {
  readonly hash: Buffer;
  readonly id: string;
  readonly name: string;
  readonly modules: readonly string[];
  readonly account_id: string;
  readonly plan: string;
  readonly trusted_only: boolean;
  readonly fails_incomplete: boolean;
  readonly revoked_at: Date | null;
  readonly expires_at: Date | null;
  readonly secret_expires_at: Date | null;
}

/** A key that is not revoked. Requests share its caller for as long as it is cached. */
interface Known {
  readonly caller: Caller;
  /** Epoch ms at which the key or the secret expires; infinite for never. */
  readonly endsAt: number;
}

function knownOf(row: Row | undefined): Known | null {
  if (!row || row.revoked_at) return null;
  const { hash, id, name, modules, account_id, plan, trusted_only, fails_incomplete, expires_at, secret_expires_at } = row;
  const expiresAt = expires_at?.getTime() ?? null;
  const endsAt = Math.min(expiresAt ?? Number.POSITIVE_INFINITY, secret_expires_at?.getTime() ?? Number.POSITIVE_INFINITY);
  const terms = { modules: new Set(knownModules(modules)), plan, expiresAt, trustedOnly: trusted_only, failsIncomplete: fails_incomplete };
  return { caller: { keyId: id, name, accountId: account_id, ...terms, secretHash: hash.toString(HASH_ENCODING) }, endsAt };
}

/** Returns the modules that this release has. Names stored by a newer release are ignored. */
export const knownModules = (names: readonly string[]): readonly ModuleName[] => MODULES.filter((module) => names.includes(module));

/** Format of a secret: `sk_`, 32 random characters (190 bits) and 6 checksum characters, all in base 62 (0–9, A–Z, a–z). */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'sk_';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHAPE = /^sk_[0-9A-Za-z]{38}$/;
/** Largest multiple of 62 in a byte. Larger bytes are rejected, so that all characters are equally likely. */
const BYTE_LIMIT = 248;

/** Generates a secret. @param randomBytes cryptographic source of random bytes, such as that of `node:crypto` */
export function newKey(randomBytes: (size: number) => Uint8Array): string {
  let random = '';
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH - random.length)) {
      if (byte < BYTE_LIMIT) random += DIGITS.charAt(byte % DIGITS.length);
    }
  }
  return PREFIX + random + checksumOf(random);
}

/** Checks form and checksum without the database. A mistyped secret passes with a probability of 1 in 57 billion. */
export function isWellFormed(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const random = text.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return text.endsWith(checksumOf(random));
}

/** Returns the first 48 bits of the SHA-256, in base 62: the last six digits. */
function checksumOf(random: string): string {
  let rest = createHash('sha256').update(random).digest().readUIntBE(0, 6);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
