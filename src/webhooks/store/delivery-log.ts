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
  toPages,
} from '../../db/paging.ts';
import type { TimeCursor } from '../../domain/paging.ts';
import type { Attempt, Delivery, DeliveryState } from '../domain/delivery.ts';
import type { ClaimedDelivery } from './delivery-partitions.ts';

/** Columns of a delivery without its body. */
const DELIVERY_COLUMNS = [
  'id',
  'monitor_id',
  'owner_kind',
  'key_id',
  'change_id',
  'event_id',
  'state',
  'created_at',
  'settled_at',
  'due_at',
  'revision',
] as const;
/** The columns of a delivery in a table `d`. */
const COLUMNS = DELIVERY_COLUMNS.map((column) => `d.${column}`).join(', ');

/** Reads deliveries by id; null for a delivery that its key does not own, and for a delivery of an owner of another kind. */
export async function findDeliveries(db: Knex, ownerKind: string, queries: readonly Owned[]): Promise<readonly (Delivery | null)[]> {
  const { rows } = await db.raw(
    `SELECT query.n, ${COLUMNS} FROM ${ROW_QUERIES} JOIN deliveries d ON d.id = query.id AND d.key_id = query."keyId" AND d.owner_kind = ?`,
    [JSON.stringify(queries), ownerKind],
  );
  return groupByQuery<Row>(rows, queries.length).map(([row]) => (row ? toDelivery(row) : null));
}

/** Reads the deliveries that report something, such as a change, oldest first. */
export async function deliveriesReporting(db: Knex, queries: readonly Owned[]): Promise<readonly (readonly Delivery[])[]> {
  const { rows } = await db.raw(
    `SELECT query.n, ${COLUMNS} FROM ${ROW_QUERIES} JOIN deliveries d ON d.change_id = query.id AND d.key_id = query."keyId"
     ORDER BY d.created_at, d.id`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<Row>(rows, queries.length).map((group) => group.map(toDelivery));
}

/** A page of an endpoint's deliveries; only those in `state` when it is not null. */
export interface DeliveriesQuery extends OwnedPageRequest<TimeCursor> {
  readonly state: DeliveryState | null;
}

/** Reads deliveries of endpoints, newest first. */
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

/** Reads the attempts of deliveries, in their order. */
export async function attemptsOfDeliveries(db: Knex, queries: readonly Owned[]): Promise<readonly (readonly Attempt[])[]> {
  const { rows } = await db.raw(
    `SELECT query.n, a.* FROM ${ROW_QUERIES} JOIN deliveries d ON d.id = query.id AND d.key_id = query."keyId"
       JOIN delivery_attempts a ON a.delivery_id = d.id
     ORDER BY a.number`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<AttemptRow>(rows, queries.length).map((group) => group.map(toAttempt));
}

/** SQL: the time of the first successful attempt of an endpoint's deliveries; null for none. @param endpointId SQL of its id */
export const firstSuccess = (endpointId: string): string =>
  `(SELECT min(a.started_at + a.latency_ms * interval '1 millisecond') FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id
    WHERE d.monitor_id = ${endpointId} AND a.error IS NULL AND a.latency_ms IS NOT NULL)`;

/** SQL: the failure of the last failed attempt of an endpoint's deliveries, e.g. `timeout` or `http_status 500`; null for none. */
export const lastFailure = (endpointId: string): string =>
  `(SELECT concat_ws(' ', a.error, a.status) FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id
    WHERE d.monitor_id = ${endpointId} AND a.error IS NOT NULL ORDER BY a.started_at DESC LIMIT 1)`;

export interface DeliveryRow {
  readonly id: string;
  readonly monitor_id: string;
  readonly owner_kind: string;
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

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  endpointId: row.monitor_id,
  ownerKind: row.owner_kind,
  keyId: row.key_id,
  reportedId: row.change_id,
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

/** Deletes the attempt under way and makes its delivery pending again. Its partition must be locked. */
export async function withdrawAttempt(trx: Knex, { id, claim, attempts }: ClaimedDelivery): Promise<void> {
  await trx('delivery_attempts').where({ delivery_id: id, number: attempts }).delete();
  await trx('deliveries')
    .where({ id, claim })
    .update({ state: 'pending', claim: null, attempts: attempts - 1 });
}

/** The outcome of one request. */
export interface AttemptOutcome {
  /** Milliseconds until the response headers, or until the failure. */
  readonly latencyMs: number;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Code of the failure, such as `timeout`; null for a success. */
  readonly error: string | null;
  /** First 1 KiB of the response body. */
  readonly answer: string | null;
  /** `Retry-After` in ms; null without it. */
  readonly retryAfterMs: number | null;
}

/** The outcome of an attempt, and the time of the next one. */
export interface RecordedAttempt {
  readonly delivery: Pick<ClaimedDelivery, 'id' | 'claim' | 'attempts'>;
  readonly outcome: AttemptOutcome;
  /** Due time of the next attempt, epoch ms; null when there is no further attempt. */
  readonly dueAt: number | null;
}

/** Stores the outcomes of attempts, and the new states of their deliveries: settled, or due again. Their partitions must be locked. */
export async function recordOutcomes(trx: Knex, attempts: readonly RecordedAttempt[], now: number): Promise<void> {
  await trx.raw(RECORD_OUTCOMES, {
    ids: attempts.map(({ delivery }) => delivery.id),
    claims: attempts.map(({ delivery }) => delivery.claim),
    numbers: attempts.map(({ delivery }) => delivery.attempts),
    latencies: attempts.map(({ outcome }) => outcome.latencyMs),
    statuses: attempts.map(({ outcome }) => outcome.status),
    errors: attempts.map(({ outcome }) => outcome.error),
    answers: attempts.map(({ outcome }) => outcome.answer),
    dueAts: attempts.map(({ dueAt }) => toDate(dueAt)),
    now: new Date(now),
  });
}

const RECORD_OUTCOMES = `
  WITH done AS MATERIALIZED (
      SELECT done.*, nextval('delivery_revisions') AS revision FROM unnest(CAST(:ids AS uuid[]), CAST(:claims AS uuid[]), CAST(:numbers AS int[]),
        CAST(:latencies AS int[]), CAST(:statuses AS int[]), CAST(:errors AS text[]), CAST(:answers AS text[]), CAST(:dueAts AS timestamptz[]))
        AS done (id, claim, number, latency_ms, status, error, answer, due_at)),
    attempts AS (
      UPDATE delivery_attempts a SET latency_ms = done.latency_ms, status = done.status, error = done.error, answer = done.answer
      FROM done WHERE a.delivery_id = done.id AND a.number = done.number)
  UPDATE deliveries d SET claim = NULL, due_at = done.due_at, revision = done.revision, revised_by = pg_current_xact_id(),
    state = CASE WHEN done.due_at IS NOT NULL THEN 'pending' WHEN done.error IS NULL THEN 'delivered' ELSE 'failed' END,
    settled_at = CASE WHEN done.due_at IS NULL THEN CAST(:now AS timestamptz) ELSE d.settled_at END
  FROM done WHERE d.id = done.id AND d.claim = done.claim`;

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/**
 * Renumbers the updates of a restored dump. Its rows name transactions of another server, whose ids this server may not have assigned yet;
 * the rows would count as updated when it assigns them.
 */
export async function renumberUpdates(trx: Knex): Promise<void> {
  await trx.raw('UPDATE deliveries SET revised_by = pg_current_xact_id() WHERE revised_by > pg_current_xact_id()');
}

/** The transactions that have ended, as a text of `pg_snapshot`. */
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
  /** Revision of the last delivery of the previous page; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

/**
 * Deliveries at their latest update, in the order of revisions, at most `limit`. An update that was committed between two snapshots is in
 * the later one and not in the earlier one, however long its transaction took: reading from snapshot to snapshot misses none and repeats
 * none. A long transaction delays no update, but the query filters the index range from the id of that transaction on.
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
