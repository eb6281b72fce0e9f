import { createHash, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { drawPositions } from './stream-head.ts';

/** What is to be told by webhook. */
export interface NewDelivery {
  readonly monitorId: string;
  readonly keyId: string;
  /** Null for a test event. */
  readonly changeId: string | null;
  /** `webhook-id`. */
  readonly eventId: string;
  /** The bytes of every attempt. */
  readonly body: string;
  /** Host and port of the receiver. */
  readonly host: string;
  /** Deliveries of one subject to one monitor are sent in their order; a bare tax id. */
  readonly subject: string;
  /** False for one that is not sent (its monitor is disabled) and only recorded. */
  readonly send: boolean;
}

/** Requests at once to one host. */
export const LANES = 4;

/**
 * Records deliveries and puts them into their lanes; their ids, in order. Whoever calls this also wakes the job that sends.
 * Lanes are locked in their order, then the head of the stream: so do all who write here.
 */
export async function addDeliveries(trx: Knex, deliveries: readonly NewDelivery[], now: number): Promise<readonly string[]> {
  if (deliveries.length === 0) return [];
  const placed = deliveries.map((delivery) => ({ ...delivery, id: randomUUID(), lane: laneOf(delivery) }));
  await openLanes(
    trx,
    placed.filter(({ send }) => send),
    now,
  );
  const first = await drawPositions(trx, 'deliveries', placed.length);
  const at = new Date(now);
  await trx.batchInsert(
    'deliveries',
    placed.map(({ id, monitorId, keyId, changeId, eventId, body, host, lane, send }, i) => ({
      id,
      monitor_id: monitorId,
      key_id: keyId,
      change_id: changeId,
      event_id: eventId,
      body,
      host,
      lane,
      state: send ? 'pending' : 'dropped',
      due_at: send ? at : null,
      settled_at: send ? null : at,
      created_at: at,
      revision: first + i,
    })),
    1_000,
  );
  return placed.map(({ id }) => id);
}

/** Makes lanes due at once. */
export async function openLanes(
  trx: Knex,
  places: readonly { readonly host: string; readonly lane: number }[],
  now: number,
): Promise<void> {
  const lanes = [...new Map(places.map(({ host, lane }) => [`${host} ${lane}`, { host, lane }])).values()];
  if (lanes.length === 0) return;
  await trx.raw(
    `INSERT INTO webhook_lanes (host, lane, due_at)
     SELECT host, lane, ? FROM unnest(?::text[], ?::smallint[]) AS place (host, lane) ORDER BY host, lane
     ON CONFLICT (host, lane) DO UPDATE SET due_at = least(webhook_lanes.due_at, excluded.due_at)`,
    [new Date(now), lanes.map(({ host }) => host), lanes.map(({ lane }) => lane)],
  );
}

const laneOf = ({ monitorId, subject }: NewDelivery): number =>
  createHash('sha1').update(`${monitorId} ${subject}`).digest().readUInt8() % LANES;

interface Identified {
  readonly id: string;
}

/** States of a delivery that is not settled. */
const WAITING = ['pending', 'sending'] as const;

/** Gives up what waits for a monitor that was cancelled or disabled. What is being sent to it right now is left to its end. */
export async function dropWaiting(trx: Knex, monitorId: string, now: number): Promise<void> {
  const rows = await trx('deliveries').where({ monitor_id: monitorId, state: 'pending' }).orderBy('revision').forUpdate().select('id');
  await drop(trx, rows, now);
}

/** The same in one lane, which is held, for all monitors there that are sent nothing any more. */
export async function dropEnded(trx: Knex, { host, lane }: { readonly host: string; readonly lane: number }, now: number): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT d.id FROM deliveries d LEFT JOIN monitors m ON m.id = d.monitor_id
     WHERE d.host = ? AND d.lane = ? AND d.state IN ('pending', 'sending')
       AND (m.id IS NULL OR m.cancelled_at IS NOT NULL OR m.disabled_at IS NOT NULL)
     ORDER BY d.revision FOR UPDATE OF d`,
    [host, lane],
  );
  await drop(trx, rows, now);
}

const drop = (trx: Knex, rows: readonly Identified[], now: number): Promise<void> =>
  renew(trx, rows, { state: 'dropped', due_at: null, settled_at: new Date(now) });

/** Settled deliveries → those that wait to be sent again, at once and in the order given. Their lanes are the caller's to open, first. */
export async function requeueDeliveries(trx: Knex, ids: readonly string[], now: number): Promise<number> {
  const settled = await trx('deliveries')
    .whereRaw('id = ANY (?)', [[...ids]])
    .whereNotIn('state', WAITING)
    .orderBy('revision')
    .forUpdate()
    .select('id');
  const among = new Set(settled.map(({ id }) => id));
  const again = ids.filter((id) => among.has(id)).map((id) => ({ id }));
  await renew(trx, again, { state: 'pending', due_at: new Date(now), settled_at: null });
  return again.length;
}

/** Writes the same to locked rows, each with a revision of its own, in their order. */
async function renew(
  trx: Knex,
  rows: readonly Identified[],
  to: { readonly state: string; readonly due_at: Date | null; readonly settled_at: Date | null },
): Promise<void> {
  if (rows.length === 0) return;
  const first = await drawPositions(trx, 'deliveries', rows.length);
  await trx.raw(
    `UPDATE deliveries SET state = ?, due_at = ?, settled_at = ?, claim = NULL, revision = ? + place.n - 1
     FROM unnest(?::uuid[]) WITH ORDINALITY AS place (id, n) WHERE deliveries.id = place.id`,
    [to.state, to.due_at, to.settled_at, first, rows.map(({ id }) => id)],
  );
}
