import type { Knex } from 'knex';
import type { Owned } from '../../db/paging.ts';
import type { Language } from '../../messages/message.ts';
import type { WebhookFormat } from '../domain/chat-message.ts';
import type { EndpointHealth, EndpointState, RetryPolicy } from '../domain/delivery.ts';
import { deleteUnusedSlots } from './retention.ts';

/** The webhook endpoint of an owner. An owner has one at most, and the endpoint has the owner's id (UUID). */
export interface NewEndpoint extends Owned {
  /** Kind of the owner, e.g. `monitor`. */
  readonly ownerKind: string;
  /** URL; null while nothing is to be sent. */
  readonly url: string | null;
  /** Sealed secret. */
  readonly secret: Buffer;
  readonly retryPolicy: RetryPolicy;
  /** Standard by default. */
  readonly format?: WebhookFormat;
  /** Language of messages for people; English by default. */
  readonly language?: Language;
}

/** Stores an endpoint, in the transaction of its owner and after it. */
export async function insertEndpoint(trx: Knex, endpoint: NewEndpoint): Promise<void> {
  const { id, ownerKind, keyId, url, secret, retryPolicy, format = 'standard', language = 'en' } = endpoint;
  await trx('webhook_endpoints').insert({
    id,
    owner_kind: ownerKind,
    key_id: keyId,
    url,
    secret,
    retry_policy: retryPolicy,
    format,
    language,
  });
}

/** Locks an endpoint until the transaction ends. A change of an owner takes this lock before its own. @returns false when the key has none */
export const lockEndpoint = async (trx: Knex, { keyId, id }: Owned): Promise<boolean> =>
  (await trx('webhook_endpoints').where({ id, key_id: keyId }).forNoKeyUpdate().first('id')) !== undefined;

/** Changes of an endpoint. */
export interface EndpointChange {
  readonly url?: string | null | undefined;
  readonly retryPolicy?: RetryPolicy | undefined;
  /** Waiting deliveries keep the format and the language in which they were written. */
  readonly format?: WebhookFormat | undefined;
  readonly language?: Language | undefined;
}

/** Changes an endpoint. An undefined member stays unchanged. With a URL the endpoint is not parked, because another receiver may answer. */
export async function saveEndpoint(trx: Knex, id: string, { url, retryPolicy, format, language }: EndpointChange): Promise<void> {
  const changed = {
    ...(url !== undefined && { url, timeouts: 0, parked_until: null }),
    ...(retryPolicy !== undefined && { retry_policy: retryPolicy }),
    ...(format !== undefined && { format }),
    ...(language !== undefined && { language }),
  };
  if (Object.keys(changed).length > 0) await trx('webhook_endpoints').where({ id }).update(changed);
}

/** Ends an endpoint, because its owner ended: no request starts any more. */
export async function closeEndpoint(trx: Knex, id: string, now: number): Promise<void> {
  await trx('webhook_endpoints')
    .where({ id })
    .update({ closed_at: new Date(now) });
}

/** A new secret. Times are epoch ms. */
export interface NewSecret {
  /** Sealed. */
  readonly secret: Buffer;
  /** Time until which the replaced secret signs, too. */
  readonly oldUntil: number;
  readonly now: number;
}

/** Maximum number of replaced secrets of an endpoint. */
const MAX_REPLACED = 10;

/** SQL: the replaced secrets that stay valid beside the one that is being replaced now, the newest first. */
const EARLIER_SECRETS = `
  SELECT coalesce(jsonb_agg(one ORDER BY until DESC), '[]') FROM (
    SELECT one, CAST(one ->> 'until' AS timestamptz) AS until FROM (
      SELECT jsonb_build_object('secret', encode(old_secret, 'hex'), 'until', old_secret_until) AS one WHERE old_secret IS NOT NULL
      UNION ALL SELECT jsonb_array_elements(earlier_secrets)) AS replaced
    WHERE CAST(one ->> 'until' AS timestamptz) > :now ORDER BY until DESC LIMIT ${MAX_REPLACED - 1}) AS kept`;

/**
 * Replaces the secret. The old one also signs until `oldUntil`, and those replaced before it until their own times. The oldest of more than
 * ten ends now.
 * @returns false when the key has no such open endpoint
 */
export async function replaceSecret(db: Knex, { keyId, id }: Owned, { secret, oldUntil, now }: NewSecret): Promise<boolean> {
  const { rowCount } = await db.raw(
    `UPDATE webhook_endpoints SET secret = :secret, old_secret = secret, old_secret_until = :oldUntil, earlier_secrets = (${EARLIER_SECRETS})
     WHERE id = :id AND key_id = :keyId AND closed_at IS NULL`,
    { secret, oldUntil: new Date(oldUntil), now: new Date(now), id, keyId },
  );
  return rowCount === 1;
}

/** Columns of an endpoint with its replaced secrets. */
export interface ReplacedSecrets {
  readonly old_secret: Buffer | null;
  readonly old_secret_until: Date | null;
  /** `secret` in hex, `until` in ISO 8601. */
  readonly earlier_secrets: readonly { readonly secret: string; readonly until: string }[];
}

/** Returns the sealed secrets that were replaced and still sign at `now` (epoch ms), the newest first. */
export function validReplaced({ old_secret: last, old_secret_until: until, earlier_secrets: earlier }: ReplacedSecrets, now: number) {
  const valid = earlier.filter((one) => Date.parse(one.until) > now).map(({ secret }) => Buffer.from(secret, 'hex'));
  return last !== null && until !== null && until.getTime() > now ? [last, ...valid] : valid;
}

/** Clears the failures of an endpoint. @returns false when the key has no such open endpoint */
export async function enableEndpoint(db: Knex, { keyId, id }: Owned): Promise<boolean> {
  const enabled = await db('webhook_endpoints')
    .where({ id, key_id: keyId, closed_at: null })
    .update({ failures: 0, failing_since: null, disabled_at: null });
  return enabled === 1;
}

/**
 * Locks endpoints and their partitions until the transaction ends, in the order in which the sender locks them. A transaction that deletes
 * endpoints does this before it changes their deliveries, because the outcome of an attempt may be recorded at the same time.
 */
export async function lockForDeletion(trx: Knex, ids: readonly string[]): Promise<void> {
  await trx('webhook_endpoints').whereIn('id', ids).orderBy('id').forUpdate().select('id');
  const partitions = trx('endpoint_partitions').whereIn('monitor_id', ids).orderBy('monitor_id').orderBy('partition');
  await partitions.forUpdate().select('partition');
}

/** Deletes locked endpoints whose owners are deleted, with their partitions. They must have no unsettled deliveries. */
export async function deleteEndpoints(trx: Knex, ids: readonly string[]): Promise<void> {
  const hosts: string[] = await trx('endpoint_partitions').whereIn('monitor_id', ids).distinct().pluck('host');
  await trx('endpoint_partitions').whereIn('monitor_id', ids).delete();
  await trx('webhook_endpoints').whereIn('id', ids).delete();
  await deleteUnusedSlots(trx, hosts);
}

/** Returns the state of an endpoint from its columns. */
export function endpointStateOf(row: { readonly failing_since: Date | null; readonly disabled_at: Date | null }): EndpointState {
  if (row.disabled_at !== null) return 'disabled';
  return row.failing_since === null ? 'active' : 'failing';
}

/** State of a locked endpoint. Times are epoch ms. */
export interface LockedEndpoint {
  readonly id: string;
  readonly health: EndpointHealth;
  /** Number of attempts in a row that timed out. */
  readonly timeouts: number;
  readonly closed: boolean;
}

/**
 * Locks the endpoints whose state the outcome of an attempt may change, until the transaction ends. A success changes only an endpoint with
 * counted failures or timeouts, so the successful attempts of a working endpoint share no lock.
 * @param failed endpoints with an attempt that did not succeed
 */
export async function lockEndpoints(trx: Knex, ids: string[], failed: string[]): Promise<readonly LockedEndpoint[]> {
  const { rows } = await trx.raw(
    `SELECT id, failures, failing_since, disabled_at, closed_at, timeouts FROM webhook_endpoints
     WHERE id = ANY (?) AND (id = ANY (?) OR failures > 0 OR timeouts > 0) ORDER BY id FOR NO KEY UPDATE`,
    [ids, failed],
  );
  const found: readonly EndpointRow[] = rows;
  return found.map((row) => ({
    id: row.id,
    health: {
      failures: row.failures,
      failingSince: row.failing_since?.getTime() ?? null,
      disabledAt: row.disabled_at?.getTime() ?? null,
    },
    timeouts: row.timeouts,
    closed: row.closed_at !== null,
  }));
}

interface EndpointRow {
  readonly id: string;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly disabled_at: Date | null;
  readonly closed_at: Date | null;
  readonly timeouts: number;
}

export async function saveHealth(trx: Knex, id: string, { failures, failingSince, disabledAt }: EndpointHealth): Promise<void> {
  await trx('webhook_endpoints')
    .where({ id })
    .update({ failures, failing_since: toDate(failingSince), disabled_at: toDate(disabledAt) });
}

/** Stores the number of timeouts in a row of an endpoint, and the end of its parking (epoch ms; null if it is not parked). */
export async function saveParking(trx: Knex, id: string, timeouts: number, parkedUntil: number | null): Promise<void> {
  await trx('webhook_endpoints')
    .where({ id })
    .update({ timeouts, parked_until: toDate(parkedUntil) });
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
