import type { Knex } from 'knex';
import type { Attempt, Delivery, DeliveryState } from '../domain/delivery.ts';
import {
  type Answering,
  ASKED_ROWS,
  askedTable,
  byQuestion,
  type Owned,
  olderThanAfter,
  type Page,
  type PartOf,
  type TimedPlace,
  toPages,
} from './paging.ts';

/** What is read of a delivery; its body stays where it is. */
const DELIVERY_COLUMNS = [
  'id',
  'monitor_id',
  'key_id',
  'change_id',
  'event_id',
  'state',
  'created_at',
  'settled_at',
  'due_at',
  'revision',
] as const;
/** The same of a delivery `d`. */
const COLUMNS = DELIVERY_COLUMNS.map((column) => `d.${column}`).join(', ');

/** Deliveries; null for one that its key does not have. */
export async function findDeliveries(db: Knex, asked: readonly Owned[]): Promise<readonly (Delivery | null)[]> {
  const { rows } = await db.raw(
    `SELECT asked.n, ${COLUMNS} FROM ${ASKED_ROWS} JOIN deliveries d ON d.id = asked.id AND d.key_id = asked."keyId"`,
    [JSON.stringify(asked)],
  );
  return byQuestion<Row>(rows, asked.length).map(([row]) => (row ? toDelivery(row) : null));
}

/** Deliveries of changes, oldest first. */
export async function deliveriesOfChanges(db: Knex, asked: readonly Owned[]): Promise<readonly (readonly Delivery[])[]> {
  const { rows } = await db.raw(
    `SELECT asked.n, ${COLUMNS} FROM ${ASKED_ROWS} JOIN deliveries d ON d.change_id = asked.id AND d.key_id = asked."keyId"
     ORDER BY d.created_at, d.id`,
    [JSON.stringify(asked)],
  );
  return byQuestion<Row>(rows, asked.length).map((group) => group.map(toDelivery));
}

/** A stretch of a monitor's deliveries; of one state where it is given. */
export interface DeliveriesAsked extends PartOf<TimedPlace> {
  readonly state: DeliveryState | null;
}

/** Deliveries of monitors, newest first. */
export async function pageDeliveries(db: Knex, asked: readonly DeliveriesAsked[]): Promise<readonly Page<Delivery>[]> {
  const { rows } = await db.raw(
    `SELECT asked.n, found.* FROM ${askedTable({ keyId: 'uuid', id: 'uuid', state: 'text', first: 'int', after: 'jsonb' })},
       LATERAL (SELECT ${COLUMNS} FROM deliveries d
         WHERE d.monitor_id = asked.id AND d.key_id = asked."keyId" AND (asked.state IS NULL OR d.state = asked.state)
           AND ${olderThanAfter('d.created_at', 'd.id')}
         ORDER BY d.created_at DESC, d.id DESC LIMIT asked.first + 1) AS found
     ORDER BY found.created_at DESC, found.id DESC`,
    [JSON.stringify(asked)],
  );
  return toPages<Row, Delivery>(rows, asked, toDelivery);
}

/** Attempts of deliveries, in their order. */
export async function attemptsOfDeliveries(db: Knex, asked: readonly Owned[]): Promise<readonly (readonly Attempt[])[]> {
  const { rows } = await db.raw(
    `SELECT asked.n, a.* FROM ${ASKED_ROWS} JOIN deliveries d ON d.id = asked.id AND d.key_id = asked."keyId"
       JOIN delivery_attempts a ON a.delivery_id = d.id
     ORDER BY a.number`,
    [JSON.stringify(asked)],
  );
  return byQuestion<AttemptRow>(rows, asked.length).map((group) => group.map(toAttempt));
}

export interface DeliveryRow {
  readonly id: string;
  readonly monitor_id: string;
  readonly key_id: string;
  readonly change_id: string | null;
  readonly event_id: string;
  readonly state: DeliveryState;
  readonly created_at: Date;
  readonly settled_at: Date | null;
  readonly due_at: Date | null;
  readonly revision: string;
}
type Row = DeliveryRow & Answering;

export const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  monitorId: row.monitor_id,
  keyId: row.key_id,
  changeId: row.change_id,
  eventId: row.event_id,
  state: row.state,
  createdAt: row.created_at.getTime(),
  settledAt: row.settled_at?.getTime() ?? null,
  nextAttemptAt: row.due_at?.getTime() ?? null,
  revision: Number(row.revision),
});

interface AttemptRow extends Answering {
  readonly number: number;
  readonly started_at: Date;
  readonly latency_ms: number | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
}

const toAttempt = (row: AttemptRow): Attempt => ({
  number: row.number,
  startedAt: row.started_at.getTime(),
  latencyMs: row.latency_ms,
  status: row.status,
  error: row.error,
  answer: row.answer,
});

/** What a delivery has come to, at the place of that news in the stream `deliveries`. */
export interface DeliveryNews extends Delivery {
  readonly position: number;
}

/** The latest news of each delivery that has any behind a position, oldest first, at most `limit`; of one key where `keyId` is given. */
export async function deliveriesAfter(
  db: Knex,
  after: number,
  { limit, keyId }: { readonly limit: number; readonly keyId?: string },
): Promise<readonly DeliveryNews[]> {
  const query = db('deliveries').select(DELIVERY_COLUMNS).where('revision', '>', after).orderBy('revision').limit(limit);
  const rows = await (keyId === undefined ? query : query.where({ key_id: keyId }));
  return rows.map((row) => ({ ...toDelivery(row), position: Number(row.revision) }));
}
