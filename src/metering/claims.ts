import type { Knex } from 'knex';

/** Which request an Idempotency-Key belongs to. */
export interface Place {
  readonly keyId: string;
  /** The text of the header. */
  readonly key: string;
}

/** An answer as it is kept. `body` is sealed. */
export interface KeptRow {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What is known of a place. */
export interface Held {
  readonly bodyHash: Buffer;
  /** `open`: free, out of date, or its attempt is taken for dead. */
  readonly state: 'open' | 'running' | 'done';
  /** Of one that is done. */
  readonly kept: KeptRow | null;
}

/** Times are epoch ms. */
export interface ClaimTerms {
  readonly claim: string;
  readonly attempt: string;
  readonly bodyHash: Buffer;
  readonly now: number;
  readonly leaseUntil: number;
  /** Places from before are as if they had never been. */
  readonly expired: number;
}

export async function readHeld(
  db: Knex,
  { keyId, key }: Place,
  { now, expired }: Pick<ClaimTerms, 'now' | 'expired'>,
): Promise<Held | null> {
  const row = await db('idempotency_keys').where({ key_id: keyId, idem_key: key }).where('created_at', '>', new Date(expired)).first();
  if (!row) return null;
  const { body_hash: bodyHash, state, lease_until: leaseUntil, status, headers, body } = row;
  if (state === 'done') return { bodyHash, state, kept: { status, headers, body } };
  return { bodyHash, state: state === 'free' || leaseUntil.getTime() <= now ? 'open' : 'running', kept: null };
}

/** Takes the place where it is open; the claim that is to be worked under, or null where another has it. */
export async function takeClaim(db: Knex, { keyId, key }: Place, terms: ClaimTerms): Promise<string | null> {
  const { claim, attempt, bodyHash, now, leaseUntil, expired } = terms;
  const { rows } = await db.raw(
    `INSERT INTO idempotency_keys AS held (key_id, idem_key, claim, attempt, body_hash, state, created_at, lease_until)
     VALUES (:keyId, :key, :claim, :attempt, :bodyHash, 'running', :now, :leaseUntil)
     ON CONFLICT (key_id, idem_key) DO UPDATE SET
       claim = CASE WHEN held.created_at <= :expired THEN excluded.claim ELSE held.claim END,
       created_at = CASE WHEN held.created_at <= :expired THEN excluded.created_at ELSE held.created_at END,
       attempt = excluded.attempt, body_hash = excluded.body_hash, state = 'running', lease_until = excluded.lease_until,
       status = NULL, headers = NULL, body = NULL
     WHERE held.created_at <= :expired OR held.state = 'free'
       OR (held.state = 'running' AND held.lease_until <= :now AND held.body_hash = excluded.body_hash)
     RETURNING claim`,
    { keyId, key, claim, attempt, bodyHash, now: new Date(now), leaseUntil: new Date(leaseUntil), expired: new Date(expired) },
  );
  return rows[0]?.claim ?? null;
}

/** Changes the place as long as this attempt works on it; false where it does not any more. */
export async function changeClaim(db: Knex, { keyId, key }: Place, attempt: string, columns: object): Promise<boolean> {
  return (await db('idempotency_keys').where({ key_id: keyId, idem_key: key, attempt, state: 'running' }).update(columns)) === 1;
}

/** Forgets places from before. */
export async function purgeClaims(db: Knex, expired: number): Promise<void> {
  await db('idempotency_keys').where('created_at', '<=', new Date(expired)).delete();
}
