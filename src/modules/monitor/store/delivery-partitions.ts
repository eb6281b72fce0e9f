import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { SECOND_MS } from '../../../domain/time.ts';
import type { Health } from '../domain/delivery.ts';
import type { RetryPolicy } from '../domain/monitor.ts';
import { dropEnded } from './delivery-queue.ts';
import { drawPositions } from './stream-head.ts';

/** A lane that this process works off. Nobody else takes from it until the lease is given back or lapses. */
export interface Lane {
  readonly host: string;
  readonly lane: number;
  readonly lease: string;
  /** True when its last request took long. */
  readonly slow: boolean;
}

/** What is sent now. */
export interface Taken {
  readonly id: string;
  /** The outcome is written under it. */
  readonly claim: string;
  readonly monitorId: string;
  /** `webhook-id`. */
  readonly eventId: string;
  readonly body: string;
  /** Which attempt this is, from 1. */
  readonly attempts: number;
  readonly webhookUrl: string;
  /** Sealed; the current one first, then the one before it while that still signs. */
  readonly secrets: readonly Buffer[];
  readonly retryPolicy: RetryPolicy;
}

/** Longer than an attempt lasts, with its writes. */
const LEASE_MS = 30 * SECOND_MS;

/** How many lanes may be taken: in all, and of those that are slow. */
export interface Room {
  readonly limit: number;
  readonly slowLimit: number;
}

/** Takes lanes that are due and free, the longest due first. */
export async function claimLanes(db: Knex, { limit, slowLimit }: Room, now: number): Promise<readonly Lane[]> {
  const { rows } = await db.raw(
    `WITH quick AS MATERIALIZED (${FREE} AND NOT slow ORDER BY due_at FOR UPDATE SKIP LOCKED LIMIT :limit),
       slow AS MATERIALIZED (${FREE} AND slow ORDER BY due_at FOR UPDATE SKIP LOCKED LIMIT :slowLimit),
       chosen AS (SELECT * FROM quick UNION ALL SELECT * FROM slow ORDER BY due_at LIMIT :limit)
     UPDATE webhook_lanes SET lease = :lease, leased_until = :until FROM chosen
     WHERE webhook_lanes.host = chosen.host AND webhook_lanes.lane = chosen.lane
     RETURNING webhook_lanes.host, webhook_lanes.lane, webhook_lanes.lease, webhook_lanes.slow`,
    { now: new Date(now), until: new Date(now + LEASE_MS), lease: randomUUID(), limit, slowLimit },
  );
  return rows;
}

const FREE = 'SELECT host, lane, due_at FROM webhook_lanes WHERE due_at <= :now AND (lease IS NULL OR leased_until <= :now)';

/**
 * The next delivery of a lane, marked as being sent, its attempt noted; null when nothing is due or the lane is another's by now. One
 * that was being sent when its process ended is taken again. Those of monitors that are cancelled or disabled are dropped.
 */
export async function takeNext(db: Knex, lane: Lane, now: number): Promise<Taken | null> {
  for (;;) {
    const claim = randomUUID();
    const { rows } = await db.raw(TAKE, { ...lane, claim, now: new Date(now) });
    const row: TakenRow | undefined = rows[0];
    if (!row) return null;
    if (row.id !== null) return toTaken(row, claim, now);
    await db.transaction(async (trx) => {
      if (await holdLane(trx, lane)) await dropEnded(trx, lane, now);
    });
  }
}

/** One statement, so that it is a transaction of its own, done before the request begins. */
const TAKE = `
  WITH mine AS (SELECT 1 FROM webhook_lanes WHERE host = :host AND lane = :lane AND lease = :lease FOR UPDATE),
    next AS (
      SELECT d.id FROM mine, deliveries d
      WHERE d.host = :host AND d.lane = :lane AND d.state IN ('pending', 'sending') AND d.due_at <= :now ORDER BY d.revision LIMIT 1),
    cut AS (
      UPDATE delivery_attempts a SET error = 'interrupted' FROM next
      WHERE a.delivery_id = next.id AND a.latency_ms IS NULL AND a.error IS NULL),
    taken AS (
      UPDATE deliveries d SET state = 'sending', claim = :claim, attempts = d.attempts + 1 FROM next, monitors m
      WHERE d.id = next.id AND d.state IN ('pending', 'sending')
        AND m.id = d.monitor_id AND m.cancelled_at IS NULL AND m.disabled_at IS NULL
      RETURNING d.id, d.monitor_id, d.event_id, d.body, d.attempts,
        m.webhook_url, m.secret, m.old_secret, m.old_secret_until, m.retry_policy),
    noted AS (INSERT INTO delivery_attempts (delivery_id, number, started_at) SELECT id, attempts, CAST(:now AS timestamptz) FROM taken)
  SELECT next.id AS next_id, taken.* FROM next LEFT JOIN taken ON taken.id = next.id`;

interface TakenRow {
  readonly next_id: string;
  /** Null, and all that follows, where it may not be sent. */
  readonly id: string | null;
  readonly monitor_id: string;
  readonly event_id: string;
  readonly body: string;
  readonly attempts: number;
  readonly webhook_url: string;
  readonly secret: Buffer;
  readonly old_secret: Buffer | null;
  readonly old_secret_until: Date | null;
  readonly retry_policy: RetryPolicy;
}

const toTaken = (row: TakenRow, claim: string, now: number): Taken => ({
  id: row.next_id,
  claim,
  monitorId: row.monitor_id,
  eventId: row.event_id,
  body: row.body,
  attempts: row.attempts,
  webhookUrl: row.webhook_url,
  secrets: row.old_secret && row.old_secret_until && row.old_secret_until.getTime() > now ? [row.secret, row.old_secret] : [row.secret],
  retryPolicy: row.retry_policy,
});

/** Locks the lane; false when it is another's by now. */
export async function holdLane(trx: Knex, { host, lane, lease }: Lane): Promise<boolean> {
  return (await trx('webhook_lanes').where({ host, lane, lease }).forUpdate().select('lane')).length > 0;
}

/**
 * Gives a held lane back, due again when its next delivery is: at once, behind the others, where one waits. Reads what waits in a
 * statement begun after the lane was locked, so it sees all that was put in before; what comes later finds the lane and makes it due.
 */
export async function releaseLane(trx: Knex, { host, lane, slow }: Lane, now: number): Promise<void> {
  await trx.raw(
    `UPDATE webhook_lanes SET lease = NULL, leased_until = NULL, slow = :slow, due_at = coalesce(
       (SELECT CAST(:now AS timestamptz) WHERE EXISTS (
         SELECT FROM deliveries WHERE host = :host AND lane = :lane AND state IN ('pending', 'sending') AND due_at <= :now)),
       (SELECT min(due_at) FROM deliveries WHERE host = :host AND lane = :lane AND state IN ('pending', 'sending')))
     WHERE host = :host AND lane = :lane`,
    { host, lane, slow, now: new Date(now) },
  );
}

/** Gives up a lane in the middle of its work: whoever takes it next sends again what was being sent. */
export async function abandonLane(db: Knex, { host, lane, lease }: Lane): Promise<void> {
  await db('webhook_lanes').where({ host, lane, lease }).update({ lease: null, leased_until: null });
}

/** What came of one request. */
export interface Outcome {
  /** Until the headers, or until it failed. */
  readonly latencyMs: number;
  /** HTTP status; null where none came. */
  readonly status: number | null;
  /** Why it failed, in one word; null for a success. */
  readonly error: string | null;
  /** First 1 KiB of the body. */
  readonly answer: string | null;
  /** What the receiver asked for, in ms; null where it did not. */
  readonly retryAfterMs: number | null;
}

/** The monitor of a delivery, locked until the transaction ends. */
export interface LockedMonitor {
  readonly health: Health;
  readonly cancelled: boolean;
}

export async function lockMonitor(trx: Knex, id: string): Promise<LockedMonitor> {
  const row = await trx('monitors').where({ id }).forNoKeyUpdate().first('failures', 'failing_since', 'disabled_at', 'cancelled_at');
  const health = {
    failures: row.failures,
    failingSince: row.failing_since?.getTime() ?? null,
    disabledAt: row.disabled_at?.getTime() ?? null,
  };
  return { health, cancelled: row.cancelled_at !== null };
}

export async function saveHealth(trx: Knex, id: string, { failures, failingSince, disabledAt }: Health): Promise<void> {
  await trx('monitors')
    .where({ id })
    .update({ failures, failing_since: toDate(failingSince), disabled_at: toDate(disabledAt) });
}

/**
 * Writes down how an attempt ended and what becomes of its delivery: settled, or due again. Its lane must be held.
 * @param dueAt of the next attempt, epoch ms; null when there is none
 */
export async function endAttempt(
  trx: Knex,
  { id, claim, attempts }: Taken,
  { outcome, dueAt, now }: { readonly outcome: Outcome; readonly dueAt: number | null; readonly now: number },
): Promise<void> {
  const { latencyMs, status, error, answer } = outcome;
  await trx('delivery_attempts').where({ delivery_id: id, number: attempts }).update({ latency_ms: latencyMs, status, error, answer });
  const revision = await drawPositions(trx, 'deliveries', 1);
  const settled = dueAt === null ? { state: error === null ? 'delivered' : 'failed', settled_at: new Date(now) } : { state: 'pending' };
  await trx('deliveries')
    .where({ id, claim })
    .update({ ...settled, due_at: toDate(dueAt), claim: null, revision });
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
