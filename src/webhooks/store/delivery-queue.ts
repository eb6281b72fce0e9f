import { createHash, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Owned } from '../../db/paging.ts';

/** A delivery to be stored. */
export interface NewDelivery {
  readonly endpointId: string;
  /** Kind of the owner of the endpoint, e.g. `monitor`. */
  readonly ownerKind: string;
  readonly keyId: string;
  /** UUID of the reported thing, such as a change; null for a test event. */
  readonly reportedId: string | null;
  /** `webhook-id`. */
  readonly eventId: string;
  /** Body of the request, identical in every attempt. */
  readonly body: string;
  /** Host and port of the receiver. */
  readonly host: string;
  /** Deliveries of one subject to one endpoint are sent in order. */
  readonly subject: string;
  /** If false, the delivery is stored as `dropped` and not sent, because the endpoint is disabled. */
  readonly send: boolean;
}

/** Maximum number of concurrent requests to one host. */
export const SLOTS_PER_HOST = 4;
/** Maximum number of concurrent requests to one endpoint. */
const PARTITIONS_PER_ENDPOINT = SLOTS_PER_HOST;

/**
 * Adds deliveries to their partitions. The caller enqueues the job `DELIVER`. Lock order of every writer: partitions by endpoint and
 * number, then the slots of hosts. Revisions are taken under the lock of the partition, so those of a partition follow the order of commits.
 * @returns ids in the order of `deliveries`
 */
export async function addDeliveries(trx: Knex, deliveries: readonly NewDelivery[], now: number): Promise<readonly string[]> {
  if (deliveries.length === 0) return [];
  const added = deliveries.map((delivery) => ({ ...delivery, id: randomUUID(), partition: partitionOf(delivery) }));
  await markPartitionsDue(
    trx,
    added.filter(({ send }) => send),
    now,
  );
  const at = new Date(now);
  await trx.batchInsert(
    'deliveries',
    added.map(({ id, endpointId, ownerKind, keyId, reportedId, eventId, body, host, partition, send }) => ({
      id,
      monitor_id: endpointId,
      owner_kind: ownerKind,
      key_id: keyId,
      change_id: reportedId,
      event_id: eventId,
      body,
      host,
      partition,
      state: send ? 'pending' : 'dropped',
      due_at: send ? at : null,
      settled_at: send ? null : at,
      created_at: at,
    })),
    1_000,
  );
  return added.map(({ id }) => id);
}

/** Makes partitions due now. */
export async function markPartitionsDue(trx: Knex, keys: readonly PartitionKey[], now: number): Promise<void> {
  const partitions = [...new Map(keys.map((key) => [`${key.endpointId} ${key.partition}`, key])).values()];
  if (partitions.length === 0) return;
  const hosts = partitions.map(({ host }) => host);
  await trx.raw(
    `INSERT INTO endpoint_partitions (monitor_id, partition, host, due_at)
     SELECT monitor_id, partition, host, ? FROM unnest(?::uuid[], ?::smallint[], ?::text[]) AS key (monitor_id, partition, host) ORDER BY 1, 2
     ON CONFLICT (monitor_id, partition) DO UPDATE
       SET host = excluded.host, due_at = least(endpoint_partitions.due_at, excluded.due_at)`,
    [new Date(now), partitions.map(({ endpointId }) => endpointId), partitions.map(({ partition }) => partition), hosts],
  );
  await trx.raw(
    `INSERT INTO webhook_host_slots (host, slot) SELECT host, slot FROM unnest(?::text[]) AS key (host), generate_series(0, ?) AS slot
     WHERE NOT EXISTS (SELECT FROM webhook_host_slots s WHERE s.host = key.host)
     ORDER BY 1, 2 ON CONFLICT DO NOTHING`,
    [[...new Set(hosts)], SLOTS_PER_HOST - 1],
  );
}

/** A partition of an endpoint, and its host. */
export interface PartitionKey {
  readonly endpointId: string;
  readonly partition: number;
  /** Host and port. */
  readonly host: string;
}

const partitionOf = ({ endpointId, subject }: NewDelivery): number =>
  createHash('sha1').update(`${endpointId} ${subject}`).digest().readUInt8() % PARTITIONS_PER_ENDPOINT;

interface Identified {
  readonly id: string;
}

/** States of a delivery that is not settled. */
const UNSETTLED = ['pending', 'sending'] as const;

/** Moves the pending deliveries of an endpoint to the partitions of its new host. An attempt under way is not interrupted. */
export async function moveToHost(trx: Knex, endpointId: string, host: string, now: number): Promise<void> {
  const pending = trx('deliveries').where({ monitor_id: endpointId, state: 'pending' });
  const partitions: readonly number[] = await pending.clone().distinct('partition').pluck('partition');
  await markPartitionsDue(
    trx,
    partitions.map((partition) => ({ endpointId, partition, host })),
    now,
  );
  await pending.update({ host });
}

/** Drops the pending deliveries of an endpoint that is closed, disabled or without a URL. An attempt under way is not interrupted. */
export async function dropPending(trx: Knex, endpointId: string, now: number): Promise<void> {
  const rows = await trx('deliveries').where({ monitor_id: endpointId, state: 'pending' }).orderBy('revision').forUpdate().select('id');
  await drop(trx, rows, now);
}

/** Drops the deliveries in a locked partition whose endpoint is deleted, closed, disabled or without a URL. */
export async function dropUndeliverable(
  trx: Knex,
  { endpointId, partition }: Pick<PartitionKey, 'endpointId' | 'partition'>,
  now: number,
): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT d.id FROM deliveries d LEFT JOIN webhook_endpoints e ON e.id = d.monitor_id
     WHERE d.monitor_id = ? AND d.partition = ? AND d.state IN ('pending', 'sending')
       AND (e.id IS NULL OR e.closed_at IS NOT NULL OR e.disabled_at IS NOT NULL OR e.url IS NULL)
     ORDER BY d.revision FOR UPDATE OF d`,
    [endpointId, partition],
  );
  await drop(trx, rows, now);
}

/** Drops the deliveries of endpoints that are about to be deleted, also those under way. */
export async function dropUnsettled(trx: Knex, endpointIds: readonly string[], now: number): Promise<void> {
  const unsettled = trx('deliveries').whereIn('monitor_id', endpointIds).whereIn('state', UNSETTLED);
  await drop(trx, await unsettled.orderBy('revision').forUpdate().select('id'), now);
}

const drop = (trx: Knex, rows: readonly Identified[], now: number): Promise<void> =>
  updateDeliveries(trx, rows, { state: 'dropped', due_at: null, settled_at: new Date(now) });

/**
 * Makes settled deliveries to a host pending and due now, in the given order. The caller first marks their partitions as due.
 * @returns number of deliveries
 */
export async function requeueDeliveries(trx: Knex, ids: readonly string[], host: string, now: number): Promise<number> {
  const settled = await trx('deliveries')
    .whereRaw('id = ANY (?)', [[...ids]])
    .whereNotIn('state', UNSETTLED)
    .orderBy('revision')
    .forUpdate()
    .select('id');
  const settledIds = new Set(settled.map(({ id }) => id));
  const pending = ids.filter((id) => settledIds.has(id)).map((id) => ({ id }));
  await updateDeliveries(trx, pending, { state: 'pending', due_at: new Date(now), settled_at: null });
  await trx('deliveries')
    .whereRaw('id = ANY (?)', [[...settledIds]])
    .whereNot({ host })
    .update({ host });
  return pending.length;
}

/** Applies the same update to locked deliveries. Each gets a revision of its own, in the given order. */
async function updateDeliveries(
  trx: Knex,
  rows: readonly Identified[],
  to: { readonly state: string; readonly due_at: Date | null; readonly settled_at: Date | null },
): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(
    `WITH revised AS MATERIALIZED (SELECT id, nextval('delivery_revisions') AS revision FROM unnest(?::uuid[]) AS id)
     UPDATE deliveries d SET state = ?, due_at = ?, settled_at = ?, claim = NULL, revision = revised.revision, revised_by = pg_current_xact_id()
     FROM revised WHERE d.id = revised.id`,
    [rows.map(({ id }) => id), to.state, to.due_at, to.settled_at],
  );
}

/** A delivery with its partition. */
export interface QueuedDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly host: string;
  readonly partition: number;
}

/** Reads a delivery; null when the key has no such delivery to an endpoint of an owner of this kind. */
export async function findQueuedDelivery(db: Knex, ownerKind: string, { keyId, id }: Owned): Promise<QueuedDelivery | null> {
  const row = await db('deliveries').where({ id, key_id: keyId, owner_kind: ownerKind }).first('monitor_id', 'host', 'partition');
  return row ? { id, endpointId: row.monitor_id, host: row.host, partition: row.partition } : null;
}
