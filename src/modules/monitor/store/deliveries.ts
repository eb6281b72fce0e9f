import { createHash, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { drawPositions } from './log-head.ts';

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
