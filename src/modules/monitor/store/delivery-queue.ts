import { createHash, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Owned } from '../../../db/paging.ts';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import type { Change, LogPosition } from '../domain/change.ts';

/** A delivery to be stored. */
export interface NewDelivery {
  readonly monitorId: string;
  readonly keyId: string;
  /** Null for a test event. */
  readonly changeId: string | null;
  /** `webhook-id`. */
  readonly eventId: string;
  /** Body of the request, identical in every attempt. */
  readonly body: string;
  /** Host and port of the receiver. */
  readonly host: string;
  /** Bare tax id. Deliveries of the same tax id to one monitor are sent in order. */
  readonly subject: string;
  /** If false, the delivery is stored as `dropped` and not sent, because the monitor is disabled. */
  readonly send: boolean;
}

/** Maximum number of concurrent requests to one host. */
export const SLOTS_PER_HOST = 4;
/** Maximum number of concurrent requests to one endpoint. */
const PARTITIONS_PER_ENDPOINT = SLOTS_PER_HOST;

/**
 * Adds deliveries to their partitions. The caller enqueues the job `DELIVER`. Lock order of every writer: partitions by monitor and
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
    added.map(({ id, monitorId, keyId, changeId, eventId, body, host, partition, send }) => ({
      id,
      monitor_id: monitorId,
      key_id: keyId,
      change_id: changeId,
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
  const partitions = [...new Map(keys.map((key) => [`${key.monitorId} ${key.partition}`, key])).values()];
  if (partitions.length === 0) return;
  const hosts = partitions.map(({ host }) => host);
  await trx.raw(
    `INSERT INTO endpoint_partitions (monitor_id, partition, host, due_at)
     SELECT monitor_id, partition, host, ? FROM unnest(?::uuid[], ?::smallint[], ?::text[]) AS key (monitor_id, partition, host) ORDER BY 1, 2
     ON CONFLICT (monitor_id, partition) DO UPDATE
       SET host = excluded.host, due_at = least(endpoint_partitions.due_at, excluded.due_at)`,
    [new Date(now), partitions.map(({ monitorId }) => monitorId), partitions.map(({ partition }) => partition), hosts],
  );
  await trx.raw(
    `INSERT INTO webhook_host_slots (host, slot) SELECT host, slot FROM unnest(?::text[]) AS key (host), generate_series(0, ?) AS slot
     WHERE NOT EXISTS (SELECT FROM webhook_host_slots s WHERE s.host = key.host AND s.slot = slot)
     ORDER BY 1, 2 ON CONFLICT DO NOTHING`,
    [[...new Set(hosts)], SLOTS_PER_HOST - 1],
  );
}

/** A partition of an endpoint, and its host. */
export interface PartitionKey {
  readonly monitorId: string;
  readonly partition: number;
  /** Host and port. */
  readonly host: string;
}

const partitionOf = ({ monitorId, subject }: NewDelivery): number =>
  createHash('sha1').update(`${monitorId} ${subject}`).digest().readUInt8() % PARTITIONS_PER_ENDPOINT;

interface Identified {
  readonly id: string;
}

/** States of a delivery that is not settled. */
const UNSETTLED = ['pending', 'sending'] as const;

/** Moves the pending deliveries of a monitor to the partitions of its new host. An attempt under way is not interrupted. */
export async function moveToHost(trx: Knex, monitorId: string, host: string, now: number): Promise<void> {
  const pending = trx('deliveries').where({ monitor_id: monitorId, state: 'pending' });
  const partitions: readonly number[] = await pending.clone().distinct('partition').pluck('partition');
  await markPartitionsDue(
    trx,
    partitions.map((partition) => ({ monitorId, partition, host })),
    now,
  );
  await pending.update({ host });
}

/** Drops the pending deliveries of a monitor that is cancelled, disabled or without a webhook. An attempt under way is not interrupted. */
export async function dropPending(trx: Knex, monitorId: string, now: number): Promise<void> {
  const rows = await trx('deliveries').where({ monitor_id: monitorId, state: 'pending' }).orderBy('revision').forUpdate().select('id');
  await drop(trx, rows, now);
}

/** Drops the deliveries in a locked partition whose monitors are deleted, cancelled, disabled or without a webhook. */
export async function dropUndeliverable(
  trx: Knex,
  { monitorId, partition }: Pick<PartitionKey, 'monitorId' | 'partition'>,
  now: number,
): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT d.id FROM deliveries d LEFT JOIN monitors m ON m.id = d.monitor_id
     WHERE d.monitor_id = ? AND d.partition = ? AND d.state IN ('pending', 'sending')
       AND (m.id IS NULL OR m.cancelled_at IS NOT NULL OR m.disabled_at IS NOT NULL OR m.webhook_url IS NULL)
     ORDER BY d.revision FOR UPDATE OF d`,
    [monitorId, partition],
  );
  await drop(trx, rows, now);
}

const drop = (trx: Knex, rows: readonly Identified[], now: number): Promise<void> =>
  updateDeliveries(trx, rows, { state: 'dropped', due_at: null, settled_at: new Date(now) });

/**
 * Makes settled deliveries pending and due now, in the given order. The caller first marks their partitions as due. @returns number of
 * deliveries
 */
export async function requeueDeliveries(trx: Knex, ids: readonly string[], now: number): Promise<number> {
  const settled = await trx('deliveries')
    .whereRaw('id = ANY (?)', [[...ids]])
    .whereNotIn('state', UNSETTLED)
    .orderBy('revision')
    .forUpdate()
    .select('id');
  const settledIds = new Set(settled.map(({ id }) => id));
  const pending = ids.filter((id) => settledIds.has(id)).map((id) => ({ id }));
  await updateDeliveries(trx, pending, { state: 'pending', due_at: new Date(now), settled_at: null });
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

/** A monitor as the recipient of a change. */
export interface Receiver {
  readonly monitorId: string;
  readonly keyId: string;
  /** Null for a monitor without a webhook. */
  readonly webhookUrl: string | null;
  /** True if the webhook gets changes of lists, too. */
  readonly listNews: boolean;
  /** True after too many failures. Nothing is sent then. */
  readonly disabled: boolean;
  /** Tax id of the company as the monitor's creator wrote it. */
  readonly identifier: string;
}

/** A receiver of changes that are to be published. */
export interface Recipient extends Receiver {
  readonly accountId: string;
  /** True if the monitor gets changes of candidates, too. */
  readonly candidateNews: boolean;
}

/** Reads the active monitors of companies, by `companyKeyText`. */
export async function receiversOf(trx: Knex, companies: readonly CompanyKey[]): Promise<ReadonlyMap<string, readonly Recipient[]>> {
  const { rows } = await trx.raw(
    `SELECT c.country, c.tax_id, c.identifier, m.id, m.key_id, m.webhook_url, m.list_news, m.candidate_news, m.disabled_at, k.account_id
     FROM unnest(?::text[], ?::text[]) AS named (country, tax_id)
       JOIN monitor_companies c USING (country, tax_id) JOIN monitors m ON m.id = c.monitor_id JOIN api_keys k ON k.id = m.key_id
     WHERE m.cancelled_at IS NULL ORDER BY m.id`,
    [companies.map(({ country }) => country), companies.map(({ taxId }) => taxId)],
  );
  const found: readonly RecipientRow[] = rows;
  const entries = found.map((row) => [companyKeyText({ country: row.country, taxId: row.tax_id }), toRecipient(row)] as const);
  return new Map([...Map.groupBy(entries, ([key]) => key)].map(([key, group]) => [key, group.map(([, receiver]) => receiver)]));
}

/** A monitor of any state, and the first company that it names. */
export interface ResendTarget extends Receiver {
  readonly cancelled: boolean;
  readonly company: CompanyKey;
}

/** Reads a monitor; null when the key has no such monitor. */
export async function findResendTarget(db: Knex, { keyId, id }: Owned): Promise<ResendTarget | null> {
  const row = await db('monitors as m')
    .join('monitor_companies as c', 'c.monitor_id', 'm.id')
    .where({ 'm.id': id, 'm.key_id': keyId })
    .orderBy('c.ordinal')
    .first('m.id', 'm.key_id', 'm.webhook_url', 'm.list_news', 'm.cancelled_at', 'm.disabled_at', 'c.country', 'c.tax_id', 'c.identifier');
  return row ? { ...toReceiver(row), cancelled: row.cancelled_at !== null, company: { country: row.country, taxId: row.tax_id } } : null;
}

/** A delivery with its partition. */
export interface QueuedDelivery {
  readonly id: string;
  readonly monitorId: string;
  readonly host: string;
  readonly partition: number;
}

/** Reads a delivery; null when the key has no such delivery. */
export async function findQueuedDelivery(db: Knex, { keyId, id }: Owned): Promise<QueuedDelivery | null> {
  const row = await db('deliveries').where({ id, key_id: keyId }).first('monitor_id', 'host', 'partition');
  return row ? { id, monitorId: row.monitor_id, host: row.host, partition: row.partition } : null;
}

/** A change of a monitor, and its delivery; null without a delivery. */
export interface DeliveredChange extends Omit<Change, keyof LogPosition | 'keyId' | 'source' | 'observationId' | 'observedAt'> {
  readonly delivery: QueuedDelivery | null;
}

/** Reads the changes of a monitor after a position, oldest first. */
export async function deliveredChangesAfter(db: Knex, monitorId: string, after: number): Promise<readonly DeliveredChange[]> {
  const rows = await db('changes as c')
    .leftJoin('deliveries as d', 'd.change_id', 'c.id')
    .where('c.monitor_id', monitorId)
    .where('c.position', '>', after)
    .orderBy('c.position')
    .select('c.id as change_id', 'c.country', 'c.tax_id', 'c.identifier', 'c.fields', 'c.detected_at', 'd.id', 'd.host', 'd.partition');
  return rows.map((row) => ({
    id: row.change_id,
    monitorId,
    company: { country: row.country, taxId: row.tax_id },
    identifier: row.identifier,
    fields: row.fields,
    detectedAt: row.detected_at.getTime(),
    delivery: row.id === null ? null : { id: row.id, monitorId, host: row.host, partition: row.partition },
  }));
}

interface Row {
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly identifier: string;
  readonly id: string;
  readonly key_id: string;
  readonly webhook_url: string | null;
  readonly list_news: boolean;
  readonly disabled_at: Date | null;
}

interface RecipientRow extends Row {
  readonly candidate_news: boolean;
  readonly account_id: string;
}

const toReceiver = (row: Row): Receiver => ({
  monitorId: row.id,
  keyId: row.key_id,
  identifier: row.identifier,
  webhookUrl: row.webhook_url,
  listNews: row.list_news,
  disabled: row.disabled_at !== null,
});

const toRecipient = (row: RecipientRow): Recipient => ({
  ...toReceiver(row),
  accountId: row.account_id,
  candidateNews: row.candidate_news,
});
