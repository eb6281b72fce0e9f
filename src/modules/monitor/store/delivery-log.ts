import type { Knex } from 'knex';
import {
  groupByQuery,
  isBeforeCursor,
  type NumberedRow,
  type Owned,
  type OwnedPageRequest,
  type Page,
  queryTable,
  ROW_QUERIES,
  type TimeCursor,
  toPages,
} from '../../../db/paging.ts';
import type { Attempt, Delivery, DeliveryState } from '../domain/delivery.ts';

/** Columns of a delivery without its body. */
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
/** The same columns of a table `d`. */
const COLUMNS = DELIVERY_COLUMNS.map((column) => `d.${column}`).join(', ');

/** Deliveries by id; null for a delivery that its key does not own. */
export async function findDeliveries(db: Knex, queries: readonly Owned[]): Promise<readonly (Delivery | null)[]> {
  const { rows } = await db.raw(
    `SELECT query.n, ${COLUMNS} FROM ${ROW_QUERIES} JOIN deliveries d ON d.id = query.id AND d.key_id = query."keyId"`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<Row>(rows, queries.length).map(([row]) => (row ? toDelivery(row) : null));
}

/** Deliveries of changes, oldest first. */
export async function deliveriesOfChanges(db: Knex, queries: readonly Owned[]): Promise<readonly (readonly Delivery[])[]> {
  const { rows } = await db.raw(
    `SELECT query.n, ${COLUMNS} FROM ${ROW_QUERIES} JOIN deliveries d ON d.change_id = query.id AND d.key_id = query."keyId"
     ORDER BY d.created_at, d.id`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<Row>(rows, queries.length).map((group) => group.map(toDelivery));
}

/** A page of a monitor's deliveries; only those in `state` when it is not null. */
export interface DeliveriesQuery extends OwnedPageRequest<TimeCursor> {
  readonly state: DeliveryState | null;
}

/** Deliveries of monitors, newest first. */
export async function pageDeliveries(db: Knex, queries: readonly DeliveriesQuery[]): Promise<readonly Page<Delivery>[]> {
  const { rows } = await db.raw(
    `SELECT query.n, found.* FROM ${queryTable({ keyId: 'uuid', id: 'uuid', state: 'text', first: 'int', after: 'jsonb' })},
       LATERAL (SELECT ${COLUMNS} FROM deliveries d
         WHERE d.monitor_id = query.id AND d.key_id = query."keyId" AND (query.state IS NULL OR d.state = query.state)
           AND ${isBeforeCursor('d.created_at', 'd.id')}
         ORDER BY d.created_at DESC, d.id DESC LIMIT query.first + 1) AS found
     ORDER BY found.created_at DESC, found.id DESC`,
    [JSON.stringify(queries)],
  );
  return toPages<Row, Delivery>(rows, queries, toDelivery);
}

/** Attempts of deliveries, in their order. */
export async function attemptsOfDeliveries(db: Knex, queries: readonly Owned[]): Promise<readonly (readonly Attempt[])[]> {
  const { rows } = await db.raw(
    `SELECT query.n, a.* FROM ${ROW_QUERIES} JOIN deliveries d ON d.id = query.id AND d.key_id = query."keyId"
       JOIN delivery_attempts a ON a.delivery_id = d.id
     ORDER BY a.number`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<AttemptRow>(rows, queries.length).map((group) => group.map(toAttempt));
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
type Row = DeliveryRow & NumberedRow;

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

interface AttemptRow extends NumberedRow {
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

/**
 * For a restored dump: its rows name transactions of another server, whose ids this one may not have given out yet. Without this, they
 * would count as updated when it does.
 */
export async function renumberUpdates(trx: Knex): Promise<void> {
  await trx.raw('UPDATE deliveries SET revised_by = pg_current_xact_id() WHERE revised_by > pg_current_xact_id()');
}

/** The transactions that have ended: a text of `pg_snapshot`. */
export type Snapshot = string;

export async function currentSnapshot(db: Knex): Promise<Snapshot> {
  const { rows } = await db.raw('SELECT pg_current_snapshot()::text AS snapshot');
  return rows[0].snapshot;
}

/** Updates of deliveries whose transactions were committed after the snapshot `since` and before `until`. */
export interface UpdatesQuery {
  readonly since: Snapshot;
  readonly until: Snapshot;
  readonly keyIds: readonly string[];
  /** Revision of the last one of the page before. */
  readonly after: number;
  readonly limit: number;
}

/**
 * Deliveries at their latest update, in the order of revisions, at most `limit`. An update that was committed between two snapshots is in
 * the later one and not in the earlier one, however long its transaction took: reading from snapshot to snapshot misses none and repeats
 * none. A transaction that is open for long makes the index range longer that is filtered, from its id on; it holds back no update.
 */
export async function updatedDeliveries(db: Knex, { since, until, keyIds, after, limit }: UpdatesQuery): Promise<readonly Delivery[]> {
  const { rows } = await db.raw(
    `SELECT ${COLUMNS} FROM deliveries d
     WHERE d.revised_by >= pg_snapshot_xmin(CAST(:since AS pg_snapshot)) AND d.revised_by < pg_snapshot_xmax(CAST(:until AS pg_snapshot))
       AND NOT pg_visible_in_snapshot(d.revised_by, CAST(:since AS pg_snapshot))
       AND pg_visible_in_snapshot(d.revised_by, CAST(:until AS pg_snapshot))
       AND d.key_id = ANY (:keyIds) AND d.revision > :after ORDER BY d.revision LIMIT :limit`,
    { since, until, keyIds, after, limit },
  );
  return rows.map(toDelivery);
}
