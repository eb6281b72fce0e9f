import type { Knex } from 'knex';

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

/** Id that the attempts under an Idempotency-Key share, and the number of this one. Later attempts have greater numbers. */
export interface Claim {
  readonly id: string;
  readonly attempt: number;
}

/** Quota of keys and bytes that one API key may store in a day (UTC). */
export const DAILY_QUOTA = { keys: 100_000, bytes: 128 * 1024 * 1024 } as const;

/** Adds to the quota that the API key has used on a day. Returns false, and adds nothing, if that would exceed the quota. */
export async function chargeQuota(
  db: Knex,
  keyId: string,
  { day, keys, bytes }: { day: string; keys: number; bytes: number },
): Promise<boolean> {
  const { rows } = await db.raw(
    `INSERT INTO idempotency_quotas AS held (key_id, day, keys, bytes) VALUES (:keyId, :day, :keys, :bytes)
     ON CONFLICT (key_id, day) DO UPDATE SET keys = held.keys + excluded.keys, bytes = held.bytes + excluded.bytes
     WHERE held.keys + excluded.keys <= :maxKeys AND held.bytes + excluded.bytes <= :maxBytes
     RETURNING key_id`,
    { keyId, day, keys, bytes, maxKeys: DAILY_QUOTA.keys, maxBytes: DAILY_QUOTA.bytes },
  );
  return rows.length > 0;
}

/** A key as it is stored. */
export interface KeyState {
  readonly bodyHash: Buffer;
  /** State of the key. `open`: it was released, or the lease of its attempt has expired. */
  readonly state: 'open' | 'running' | 'done';
  /** Response with an encrypted body; null unless `done`, and if the response was too large to store. */
  readonly response: (Omit<StoredResponse, 'body'> & { readonly body: Buffer }) | null;
}

/** An attempt that wants the lease. Times are epoch ms. */
export interface LeaseTerms {
  /** Claim for the case that the key is new or expired. */
  readonly newClaim: string;
  readonly attempt: string;
  readonly bodyHash: Buffer;
  readonly now: number;
  readonly leaseUntil: number;
  /** Epoch ms. Keys created before it count as absent. */
  readonly expiredBefore: number;
}

/** Reads the state of a key; null if it is unknown or expired. */
export async function readState(
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

/**
 * Leases the key to this attempt if the key is absent or expired, or if it belongs to this request and no attempt holds its lease.
 * @returns the claim; null if the key is not free
 */
export async function acquireLease(db: Knex, { keyId, key }: IdempotencyKey, terms: LeaseTerms): Promise<Claim | null> {
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
export async function updateLeased(db: Knex, { keyId, key }: IdempotencyKey, attempt: string, columns: object): Promise<boolean> {
  return (await db('idempotency_keys').where({ key_id: keyId, idem_key: key, attempt, state: 'running' }).update(columns)) === 1;
}

/** Deletes the key of an attempt. */
export async function deleteLeased(db: Knex, { keyId, key }: IdempotencyKey, attempt: string): Promise<void> {
  await db('idempotency_keys').where({ key_id: keyId, idem_key: key, attempt }).delete();
}

/** Deletes the keys that were created until `expiredBefore`, epoch ms, with their responses, and the quotas of the days before `day`. */
export async function purgeKeys(db: Knex, { expiredBefore, day }: { readonly expiredBefore: number; readonly day: string }): Promise<void> {
  await db('idempotency_keys').where('created_at', '<=', new Date(expiredBefore)).delete();
  await db('idempotency_quotas').where('day', '<', day).delete();
}
