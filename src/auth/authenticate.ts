/**
 * Terminology of auth/:
 * - API key: what a customer sends in X-API-Key. It has modules, a plan, an expiry and one or more secrets.
 * - Secret: the text `sk_…` itself. Only its keyed hash (HMAC-SHA-256) is stored. Rotation adds a secret and ends the old ones.
 * - Account: the customer that keys belong to.
 * - Caller: the valid API key behind a request, with its account, modules and plan (`src/context.ts`).
 * - Authenticator: finds the caller of a secret, limits invalid keys by address and records when keys were last used.
 * - Module: a unit of data that is sold. `requireModule` refuses a caller whose key does not have it (`src/metering/ask.ts`).
 * - Bootstrap key: the operator's own key from QUIPU_BOOTSTRAP_KEY, with all modules.
 * - Trusted document: a GraphQL document that an operator registered; some keys may run no others.
 * - Actor: who made a change, as the audit log names it: an operator, a key or the server.
 * - Erasure: deletion of everything that is stored about an account.
 */
import ipaddr from 'ipaddr.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { limitName, type SharedLimits } from '../cache/shared-limits.ts';
import type { Caller } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import { type Clock, MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import type { Keys } from './api-keys/keys.ts';

/**
 * Finds the caller of an API key; null for an invalid key. `address` is the client's IP address.
 * @throws AppError RATE_LIMITED for an invalid key from an address that sent too many of them; Error when the database fails
 */
export type Authenticate = (key: string, address: string) => Promise<Caller | null>;

/** Checks API keys: at the start of each request, and repeatedly while a socket or event stream is open. */
export interface Authenticator {
  readonly authenticate: Authenticate;
  /**
   * Returns the callers of hashes of secrets, without those whose secret or key became invalid. It counts as a use of the keys, and runs
   * one statement.
   */
  readonly stillValid: Keys['stillValid'];
}

export interface AuthenticatorDeps {
  readonly keys: Pick<Keys, 'find' | 'stillValid'>;
  readonly lastUse: Pick<LastUse, 'record'>;
  readonly invalidKeys: InvalidKeyLimit;
}

/** Creates the authenticator. A valid key is never limited here, however many invalid keys come from its address or from others. */
export const createAuthenticator = ({ keys, lastUse, invalidKeys }: AuthenticatorDeps): Authenticator => ({
  async authenticate(key, address) {
    const attempt = invalidKeys.begin(address);
    const caller = await keys.find(key, { isFlood: attempt.isFlood }).finally(attempt.end);
    if (caller) {
      lastUse.record(caller.keyId);
      return caller;
    }
    const retryAfterSeconds = await attempt.countInvalid();
    if (retryAfterSeconds > 0)
      throw new AppError('RATE_LIMITED', 'Too many invalid keys were sent from your address; check your key, and try again later.', {
        retryAfterSeconds,
      });
    return null;
  },

  async stillValid(secretHashes) {
    const callers = await keys.stillValid(secretHashes);
    for (const { keyId } of callers.values()) lastUse.record(keyId);
    return callers;
  },
});

/** Maximum number of invalid keys from one address in a minute. Further ones are refused. */
const MAX_INVALID = 20;
/** Maximum number from all addresses together, above which further unknown keys cost no statement each. */
const MAX_INVALID_IN_ALL = 200;
/** Prefix length of the network that counts as one address. A customer usually has a whole IPv6 /64. */
const IPV6_PREFIX_BITS = 64;
/** Maximum number of addresses that are counted. Beyond it the oldest one is deleted; the limit of all addresses together still applies. */
const MAX_ADDRESSES = 20_000;

/** Limits invalid keys by client address, in a window of one minute that begins with the first. */
export interface InvalidKeyLimit {
  begin(address: string): KeyAttempt;
}

/** One key that is being checked. */
export interface KeyAttempt {
  /**
   * True when too many keys from this address, or from all addresses, are invalid or still being checked, so that an unknown key must cost
   * no statement.
   */
  readonly isFlood: boolean;
  /** Marks the key as checked. */
  end(): void;
  /** Counts the key as invalid. Returns 0 within the limit of the address, else the seconds until its window ends. */
  countInvalid(): Promise<number>;
}

interface Window {
  invalid: number;
  beingChecked: number;
  endsAt: number;
}

const windowFrom = (time: number): Window => ({ invalid: 0, beingChecked: 0, endsAt: time + MINUTE_MS });

export interface InvalidKeyLimitDeps {
  readonly now: Clock;
  /**
   * Limits over all processes. Without them, and while Redis is unavailable, each process counts separately. The maximum from all
   * addresses together is always per process.
   */
  readonly limits?: SharedLimits | undefined;
  /** Secret of the hashes of addresses in Redis. */
  readonly secret: string;
}

/** Creates the limit. An attempt with a valid key costs one map lookup. */
export function createInvalidKeyLimit({ now, limits, secret }: InvalidKeyLimitDeps): InvalidKeyLimit {
  /** Network → its window. All windows have one length, so the order of insertion is the order of their ends. */
  const windows = new Map<string, Window>();
  let all = windowFrom(now());

  /** Removes ended windows, and the oldest window if there are too many. */
  function makeRoom(time: number): void {
    for (const [network, { endsAt }] of windows) {
      if (endsAt > time && windows.size < MAX_ADDRESSES) return;
      windows.delete(network);
    }
  }

  function windowOf(network: string, time: number): Window {
    const known = windows.get(network);
    if (known && known.endsAt > time) return known;
    makeRoom(time);
    const window = windowFrom(time);
    windows.delete(network);
    windows.set(network, window);
    return window;
  }

  /** Counts an invalid key in the window of all processes, which this process uses from then on. Returns false beyond the limit. */
  async function countForAll(network: string, own: Window): Promise<boolean> {
    const count = await limits?.count(limitName('invalid-keys', secret, network), { max: MAX_INVALID, ms: MINUTE_MS });
    if (!count) return true;
    own.invalid = Math.max(own.invalid, count.count);
    own.endsAt = Math.min(own.endsAt, now() + count.leftMs);
    return count.isAllowed;
  }

  return {
    begin(address) {
      const time = now();
      if (all.endsAt <= time) all = windowFrom(time);
      const network = networkOf(address);
      const own = windowOf(network, time);
      const ofAll = all;
      const isFlood = countOf(own) >= MAX_INVALID || countOf(ofAll) >= MAX_INVALID_IN_ALL;
      own.beingChecked += 1;
      ofAll.beingChecked += 1;
      return {
        isFlood,
        end() {
          own.beingChecked -= 1;
          ofAll.beingChecked -= 1;
        },
        async countInvalid() {
          own.invalid += 1;
          ofAll.invalid += 1;
          const isWithin = own.invalid <= MAX_INVALID && (await countForAll(network, own));
          return isWithin ? 0 : Math.max(1, Math.ceil((own.endsAt - now()) / SECOND_MS));
        },
      };
    },
  };
}

const countOf = ({ invalid, beingChecked }: Window): number => invalid + beingChecked;

/** Returns the IPv4 address, also of an IPv4-mapped IPv6 address; the /64 network of an IPv6 address; `unknown` for any other text. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString().replace(/%.*/, '')}/${IPV6_PREFIX_BITS}`).toString();
}

/** Interval between two writes. A recorded use reaches the table after this time at most. */
const FLUSH_MS = 10 * SECOND_MS;

/** Records when keys were last used, to the minute. Recording changes memory only; a timer writes to the table. */
export interface LastUse {
  record(keyId: string): void;
  /** Writes the uses since the last flush, in one statement. @throws Error when the database fails; the next flush retries */
  flush(): Promise<void>;
  /** Stops the timer and flushes a last time. */
  close(): Promise<void>;
}

export interface LastUseDeps {
  readonly db: Knex;
  readonly now: Clock;
  readonly log: Logger;
}

/** Creates the recorder. The stored minute never decreases. A key is written once a minute, however many processes use it. */
export function createLastUse({ db, now, log }: LastUseDeps): LastUse {
  /** Key id → minute of its last recorded use. Ended minutes are removed once they are written. */
  let recorded = new Map<string, number>();
  let unwritten = new Set<string>();

  async function flush(): Promise<void> {
    if (unwritten.size === 0) return;
    const ids = [...unwritten];
    unwritten = new Set();
    const minutes = ids.map((id) => new Date(recorded.get(id) ?? 0));
    try {
      await db.raw(WRITE_LAST_USE, [ids, minutes]);
    } catch (error) {
      for (const id of ids) unwritten.add(id);
      throw error;
    }
    const current = startOfMinute(now());
    recorded = new Map([...recorded].filter(([id, minute]) => minute === current || unwritten.has(id)));
  }

  const logFailure = (error: Error): void => log.warn({ why: error.message }, 'the last use of keys could not be written');
  const timer = setInterval(() => void flush().catch(logFailure), FLUSH_MS).unref();

  return {
    record(keyId) {
      const minute = startOfMinute(now());
      if (recorded.get(keyId) === minute) return;
      recorded.set(keyId, minute);
      unwritten.add(keyId);
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush().catch(logFailure);
    },
  };
}

const startOfMinute = (ms: number): number => ms - (ms % MINUTE_MS);

/** SQL: locks rows in the order of their ids, so that two processes that write the same keys cannot deadlock. */
const WRITE_LAST_USE = `
  WITH used AS (
    SELECT k.id, u.minute FROM unnest(?::uuid[], ?::timestamptz[]) AS u (id, minute) JOIN api_keys k ON k.id = u.id
    WHERE k.last_used_at IS NULL OR k.last_used_at < u.minute ORDER BY k.id FOR NO KEY UPDATE OF k
  )
  UPDATE api_keys k SET last_used_at = used.minute FROM used WHERE k.id = used.id`;
