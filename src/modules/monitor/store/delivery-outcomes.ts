import type { Knex } from 'knex';
import type { EndpointHealth } from '../domain/delivery.ts';
import type { ClaimedDelivery } from './delivery-partitions.ts';

/** Deletes the attempt under way; its delivery is pending as before. Its partition must be locked. */
export async function withdrawAttempt(trx: Knex, { id, claim, attempts }: ClaimedDelivery): Promise<void> {
  await trx('delivery_attempts').where({ delivery_id: id, number: attempts }).delete();
  await trx('deliveries')
    .where({ id, claim })
    .update({ state: 'pending', claim: null, attempts: attempts - 1 });
}

/** The outcome of one request. */
export interface AttemptOutcome {
  /** Until the response headers, or until the failure. */
  readonly latencyMs: number;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Failure in one word; null for a success. */
  readonly error: string | null;
  /** First 1 KiB of the response body. */
  readonly answer: string | null;
  /** `Retry-After` in ms; null without it. */
  readonly retryAfterMs: number | null;
}

/** State of a locked monitor. Times are epoch ms. */
export interface LockedMonitor {
  readonly id: string;
  readonly health: EndpointHealth;
  /** Attempts in a row that timed out. */
  readonly timeouts: number;
  readonly cancelled: boolean;
}

/**
 * Locks the monitors whose state the outcome of an attempt may change, until the transaction ends. A success changes only a monitor that
 * has counted failures or timeouts: the attempts of an endpoint that works wait for no lock that they have in common.
 * @param failed monitors with an attempt that did not succeed
 */
export async function lockMonitors(trx: Knex, ids: string[], failed: string[]): Promise<readonly LockedMonitor[]> {
  const { rows } = await trx.raw(
    `SELECT id, failures, failing_since, disabled_at, cancelled_at, timeouts FROM monitors
     WHERE id = ANY (?) AND (id = ANY (?) OR failures > 0 OR timeouts > 0) ORDER BY id FOR NO KEY UPDATE`,
    [ids, failed],
  );
  const found: readonly MonitorRow[] = rows;
  return found.map((row) => ({
    id: row.id,
    health: {
      failures: row.failures,
      failingSince: row.failing_since?.getTime() ?? null,
      disabledAt: row.disabled_at?.getTime() ?? null,
    },
    timeouts: row.timeouts,
    cancelled: row.cancelled_at !== null,
  }));
}

interface MonitorRow {
  readonly id: string;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly disabled_at: Date | null;
  readonly cancelled_at: Date | null;
  readonly timeouts: number;
}

export async function saveHealth(trx: Knex, id: string, { failures, failingSince, disabledAt }: EndpointHealth): Promise<void> {
  await trx('monitors')
    .where({ id })
    .update({ failures, failing_since: toDate(failingSince), disabled_at: toDate(disabledAt) });
}

/** Stores how often in a row an endpoint timed out, and until when it is parked (epoch ms; null for not at all). */
export async function saveParking(trx: Knex, id: string, timeouts: number, parkedUntil: number | null): Promise<void> {
  await trx('monitors')
    .where({ id })
    .update({ timeouts, parked_until: toDate(parkedUntil) });
}

/** The outcome of an attempt, and what follows. */
export interface RecordedAttempt {
  readonly delivery: Pick<ClaimedDelivery, 'id' | 'claim' | 'attempts'>;
  readonly outcome: AttemptOutcome;
  /** Of the next attempt, epoch ms; null when there is no further attempt. */
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
