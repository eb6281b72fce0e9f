import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Sealer } from '../db/sealer.ts';
import { AppError } from '../domain/errors.ts';
import { type Clock, DAY_MS, isoDate, SECOND_MS } from '../domain/time.ts';
import type { Claim } from './usage-records.ts';

/** Key of the requests that share a response. */
export interface IdempotencyKey {
  /** Id of the API key. */
  readonly keyId: string;
  /** Value of the header. */
  readonly key: string;
}

/** The response to the first request, which is replayed. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Modules that the response needs. */
  readonly modules: readonly string[];
}

/** The exclusive right to answer, under a lease that is renewed automatically. */
export interface Attempt {
  /**
   * Claim that the attempts under the Idempotency-Key share until one of them is answered. Their usage records have the same ids, so an
   * answer is billed once, however many attempts it takes.
   */
  readonly claim: Claim;
  /**
   * Stores the response, before it is sent. `lost`: another attempt has taken over, and this one must not answer. `too_large`: nothing is
   * stored, because the response or the day's responses of the API key are too large; call `completeWithout` or `releaseAnswered`.
   */
  complete(response: StoredResponse): Promise<'stored' | 'lost' | 'too_large'>;
  /** Records that the request was done and its response is not stored, so that repeated requests are refused. Returns like `complete`. */
  completeWithout(): Promise<'stored' | 'lost'>;
  /** Ends the lease without an answer. The next request may try, and is billed together with this one. */
  release(): Promise<void>;
  /**
   * Ends the lease for an answer that is sent and not stored. The next request may try, and is billed separately. Returns like `complete`.
   */
  releaseAnswered(): Promise<'stored' | 'lost'>;
}

/**
 * Storage of responses by Idempotency-Key. Repeated requests under a key get the first response, for 24 hours. The key belongs to one
 * request from its first attempt on.
 */
export interface Idempotency {
  /**
   * Returns the stored response or, without one, an attempt to create it. It waits while another attempt runs.
   * @param bodyHash SHA-256 of the request, except for its headers
   * @throws AppError IDEMPOTENCY_KEY_REUSED for another request, also if the first failed, IDEMPOTENCY_IN_PROGRESS when there is no
   * response after 10 s, IDEMPOTENCY_ANSWER_NOT_STORED when the first request was done without storing its response, RATE_LIMITED over the
   * quota of keys
   */
  begin(key: IdempotencyKey, bodyHash: Buffer): Promise<StoredResponse | Attempt>;
  /** Deletes expired keys with their responses. */
  purge(): Promise<void>;
}

export interface IdempotencyDeps {
  readonly db: Knex;
  readonly now: Clock;
  /** Encrypts the bodies of stored responses. */
  readonly sealer: Sealer;
}

const KEPT_MS = DAY_MS;
/** Maximum size of a stored body, in bytes. */
export const MAX_BODY_BYTES = 256 * 1024;
/** Quota of keys and bytes that one API key may store in a day (UTC). */
export const DAILY_QUOTA = { keys: 100_000, bytes: 128 * 1024 * 1024 } as const;
/**
 * Duration of a lease. An attempt that has not renewed its lease for this time counts as dead. It is well above the clock difference of
 * two machines.
 */
const LEASE_MS = 6 * SECOND_MS;
const RENEW_MS = 2 * SECOND_MS;
const WAIT_MS = 10 * SECOND_MS;
const FIRST_POLL_MS = 25;
const LAST_POLL_MS = 400;

export function createIdempotency({ db, now, sealer }: IdempotencyDeps): Idempotency {
  const expiredBefore = () => now() - KEPT_MS;

  async function startAttempt(key: IdempotencyKey, bodyHash: Buffer): Promise<Attempt | null> {
    const attempt = randomUUID();
    const lease = { attempt, bodyHash, now: now(), leaseUntil: now() + LEASE_MS, expiredBefore: expiredBefore() };
    const newClaim = randomUUID();
    const claim = await acquireLease(db, key, { ...lease, newClaim });
    if (claim === null) return null;
    if (claim.id === newClaim && !(await chargeQuota(db, key.keyId, { day: isoDate(now()), keys: 1, bytes: 0 }))) {
      await db('idempotency_keys').where({ key_id: key.keyId, idem_key: key.key, attempt }).delete();
      throw overQuota(now());
    }
    const update = (columns: object) => updateLeased(db, key, attempt, columns);
    const renewing = setInterval(() => void update({ lease_until: new Date(now() + LEASE_MS) }).catch(() => undefined), RENEW_MS).unref();
    return {
      claim,
      async complete({ status, headers, body, modules }) {
        const bytes = Buffer.byteLength(body);
        if (bytes > MAX_BODY_BYTES || !(await chargeQuota(db, key.keyId, { day: isoDate(now()), keys: 0, bytes }))) return 'too_large';
        clearInterval(renewing);
        const columns = { status, headers: JSON.stringify(headers), body: sealer.seal(body), modules: [...modules] };
        return (await update({ state: 'done', ...columns })) ? 'stored' : 'lost';
      },
      async completeWithout() {
        clearInterval(renewing);
        return (await update({ state: 'done' })) ? 'stored' : 'lost';
      },
      async release() {
        clearInterval(renewing);
        await update({ state: 'free' });
      },
      async releaseAnswered() {
        clearInterval(renewing);
        return (await update({ state: 'free', claim: randomUUID() })) ? 'stored' : 'lost';
      },
    };
  }

  return {
    async begin(key, bodyHash) {
      const deadline = performance.now() + WAIT_MS;
      for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_POLL_MS)) {
        const known = await readState(db, key, { now: now(), expiredBefore: expiredBefore() });
        if (known?.bodyHash.equals(bodyHash) === false) throw reused();
        if (known?.state === 'done' && !known.response) throw notStored();
        if (known?.response) return { ...known.response, body: sealer.open(known.response.body) };
        const attempt = known?.state === 'running' ? null : await startAttempt(key, bodyHash);
        if (attempt) return attempt;
        if (performance.now() > deadline) throw inProgress();
        await sleep(pauseMs);
      }
    },
    async purge() {
      await db('idempotency_keys').where('created_at', '<=', new Date(expiredBefore())).delete();
      await db('idempotency_quotas').where('day', '<', isoDate(now())).delete();
    },
  };
}

const reused = () =>
  new AppError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was sent before with another request; take a new key for a new request.');

/** Creates the error for a key whose first request has no response yet. */
export const inProgress = () =>
  new AppError(
    'IDEMPOTENCY_IN_PROGRESS',
    'The first request under this Idempotency-Key has not been answered yet; repeat it in a moment.',
    {
      retryAfterSeconds: 2,
    },
  );

const notStored = () =>
  new AppError(
    'IDEMPOTENCY_ANSWER_NOT_STORED',
    'The change under this Idempotency-Key was made, but its answer was too large to store. It is not made again: query what it changed.',
  );

const overQuota = (now: number) =>
  new AppError(
    'RATE_LIMITED',
    `This API key has sent ${DAILY_QUOTA.keys} different Idempotency-Keys today (UTC); send the request without one, or tomorrow.`,
    { retryAfterSeconds: Math.ceil((DAY_MS - (now % DAY_MS)) / SECOND_MS) },
  );

/** Adds to the quota that the API key has used on a day. Returns false, and adds nothing, if that would exceed the quota. */
async function chargeQuota(db: Knex, keyId: string, { day, keys, bytes }: { day: string; keys: number; bytes: number }): Promise<boolean> {
  const { rows } = await db.raw(
    `INSERT INTO idempotency_quotas AS held (key_id, day, keys, bytes) VALUES (:keyId, :day, :keys, :bytes)
     ON CONFLICT (key_id, day) DO UPDATE SET keys = held.keys + excluded.keys, bytes = held.bytes + excluded.bytes
     WHERE held.keys + excluded.keys <= :maxKeys AND held.bytes + excluded.bytes <= :maxBytes
     RETURNING key_id`,
    { keyId, day, keys, bytes, maxKeys: DAILY_QUOTA.keys, maxBytes: DAILY_QUOTA.bytes },
  );
  return rows.length > 0;
}

interface KeyState {
  readonly bodyHash: Buffer;
  /** State of the key. `open`: it was released, or the lease of its attempt has expired. */
  readonly state: 'open' | 'running' | 'done';
  /** Response with an encrypted body; null unless `done`, and if the response was too large to store. */
  readonly response: (Omit<StoredResponse, 'body'> & { readonly body: Buffer }) | null;
}

/** Times are epoch ms. */
interface LeaseTerms {
  /** Claim for the case that the key is new or expired. */
  readonly newClaim: string;
  readonly attempt: string;
  readonly bodyHash: Buffer;
  readonly now: number;
  readonly leaseUntil: number;
  /** Epoch ms. Keys created before it count as absent. */
  readonly expiredBefore: number;
}

async function readState(
  db: Knex,
  { keyId, key }: IdempotencyKey,
  { now, expiredBefore }: Pick<LeaseTerms, 'now' | 'expiredBefore'>,
): Promise<KeyState | null> {
  const row = await db('idempotency_keys')
    .where({ key_id: keyId, idem_key: key })
    .where('created_at', '>', new Date(expiredBefore))
    .first();
  if (!row) return null;
  const { body_hash: bodyHash, state, lease_until: leaseUntil, status, headers, body, modules } = row;
  if (state === 'done') return { bodyHash, state, response: body && { status, headers, body, modules } };
  return { bodyHash, state: state === 'free' || leaseUntil.getTime() <= now ? 'open' : 'running', response: null };
}

/** Leases the key to this attempt if it is absent or expired, or belongs to this request and was released or its lease has ended. Returns the claim, or null when it is not free. */
async function acquireLease(db: Knex, { keyId, key }: IdempotencyKey, terms: LeaseTerms): Promise<Claim | null> {
  const { newClaim, attempt, bodyHash, now, leaseUntil, expiredBefore } = terms;
  const { rows } = await db.raw(
    `INSERT INTO idempotency_keys AS held (key_id, idem_key, claim, attempt, body_hash, state, created_at, lease_until)
     VALUES (:keyId, :key, :newClaim, :attempt, :bodyHash, 'running', :now, :leaseUntil)
     ON CONFLICT (key_id, idem_key) DO UPDATE SET
       claim = CASE WHEN held.created_at <= :expired THEN excluded.claim ELSE held.claim END,
       created_at = CASE WHEN held.created_at <= :expired THEN excluded.created_at ELSE held.created_at END,
       attempt = excluded.attempt, attempts = held.attempts + 1, body_hash = excluded.body_hash, state = 'running', lease_until = excluded.lease_until,
       status = NULL, headers = NULL, body = NULL, modules = '{}'
     WHERE held.created_at <= :expired OR (held.body_hash = excluded.body_hash
       AND (held.state = 'free' OR (held.state = 'running' AND held.lease_until <= :now)))
     RETURNING claim AS id, attempts AS attempt`,
    { keyId, key, newClaim, attempt, bodyHash, now: new Date(now), leaseUntil: new Date(leaseUntil), expired: new Date(expiredBefore) },
  );
  return rows[0] ?? null;
}

/** Updates the key while this attempt holds its lease; false when it no longer does. */
async function updateLeased(db: Knex, { keyId, key }: IdempotencyKey, attempt: string, columns: object): Promise<boolean> {
  return (await db('idempotency_keys').where({ key_id: keyId, idem_key: key, attempt, state: 'running' }).update(columns)) === 1;
}
