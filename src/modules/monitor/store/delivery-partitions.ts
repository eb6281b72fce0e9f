import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { SECOND_MS } from '../../../domain/time.ts';
import type { EndpointHealth } from '../domain/delivery.ts';
import type { RetryPolicy } from '../domain/monitor.ts';
import { dropUndeliverable } from './delivery-queue.ts';
import { allocatePositions } from './stream-head.ts';

/** A delivery partition leased by this process. No other process sends from it until the lease is released or expires. */
export interface DeliveryPartition {
  readonly host: string;
  readonly partition: number;
  readonly lease: string;
  /** True when its last request was slow. */
  readonly slow: boolean;
}

/** A delivery with an attempt under way. */
export interface ClaimedDelivery {
  readonly id: string;
  /** UUID of the attempt: its outcome is stored only while the delivery still has this claim. */
  readonly claim: string;
  readonly monitorId: string;
  /** `webhook-id`. */
  readonly eventId: string;
  readonly body: string;
  /** Number of this attempt, from 1. */
  readonly attempts: number;
  readonly webhookUrl: string;
  /** Sealed: the current secret, then the old one while it is valid. */
  readonly secrets: readonly Buffer[];
  readonly retryPolicy: RetryPolicy;
}

/** Longer than an attempt and its writes. */
const LEASE_MS = 30 * SECOND_MS;

/** Number of partitions to claim: in total, and slow ones. */
export interface FreeSlots {
  readonly limit: number;
  readonly slowLimit: number;
}

/** Leases due partitions that no other process has leased, the longest due first. */
export async function claimPartitions(db: Knex, { limit, slowLimit }: FreeSlots, now: number): Promise<readonly DeliveryPartition[]> {
  const { rows } = await db.raw(
    `WITH quick AS MATERIALIZED (${FREE} AND NOT slow ORDER BY due_at FOR UPDATE SKIP LOCKED LIMIT :limit),
       slow AS MATERIALIZED (${FREE} AND slow ORDER BY due_at FOR UPDATE SKIP LOCKED LIMIT :slowLimit),
       chosen AS (SELECT * FROM quick UNION ALL SELECT * FROM slow ORDER BY due_at LIMIT :limit)
     UPDATE delivery_partitions SET lease = :lease, leased_until = :until FROM chosen
     WHERE delivery_partitions.host = chosen.host AND delivery_partitions.partition = chosen.partition
     RETURNING delivery_partitions.host, delivery_partitions.partition, delivery_partitions.lease, delivery_partitions.slow`,
    { now: new Date(now), until: new Date(now + LEASE_MS), lease: randomUUID(), limit, slowLimit },
  );
  return rows;
}

const FREE = 'SELECT host, partition, due_at FROM delivery_partitions WHERE due_at <= :now AND (lease IS NULL OR leased_until <= :now)';

/**
 * Claims the next due delivery of a leased partition and stores its attempt. A delivery whose process died while sending is claimed
 * again. Deliveries of monitors that are cancelled, disabled or without a webhook are dropped.
 * @returns null when no delivery is due, or the lease was lost
 */
export async function claimNextDelivery(db: Knex, partition: DeliveryPartition, now: number): Promise<ClaimedDelivery | null> {
  for (;;) {
    const claim = randomUUID();
    const { rows } = await db.raw(CLAIM_NEXT, { ...partition, claim, now: new Date(now) });
    const row: ClaimedRow | undefined = rows[0];
    if (!row) return null;
    if (row.id !== null) return toClaimedDelivery(row, claim, now);
    await db.transaction(async (trx) => {
      if (await lockPartition(trx, partition)) await dropUndeliverable(trx, partition, now);
    });
  }
}

/** One statement, hence one transaction, which commits before the request begins. */
const CLAIM_NEXT = `
  WITH leased AS (SELECT 1 FROM delivery_partitions WHERE host = :host AND partition = :partition AND lease = :lease FOR UPDATE),
    next AS (
      SELECT d.id FROM leased, deliveries d
      WHERE d.host = :host AND d.partition = :partition AND d.state IN ('pending', 'sending') AND d.due_at <= :now ORDER BY d.revision LIMIT 1),
    interrupted AS (
      UPDATE delivery_attempts a SET error = 'interrupted' FROM next
      WHERE a.delivery_id = next.id AND a.latency_ms IS NULL AND a.error IS NULL),
    claimed AS (
      UPDATE deliveries d SET state = 'sending', claim = :claim, attempts = d.attempts + 1 FROM next, monitors m
      WHERE d.id = next.id AND d.state IN ('pending', 'sending')
        AND m.id = d.monitor_id AND m.cancelled_at IS NULL AND m.disabled_at IS NULL AND m.webhook_url IS NOT NULL
      RETURNING d.id, d.monitor_id, d.event_id, d.body, d.attempts,
        m.webhook_url, m.secret, m.old_secret, m.old_secret_until, m.retry_policy),
    recorded AS (INSERT INTO delivery_attempts (delivery_id, number, started_at) SELECT id, attempts, CAST(:now AS timestamptz) FROM claimed)
  SELECT next.id AS next_id, claimed.* FROM next LEFT JOIN claimed ON claimed.id = next.id`;

interface ClaimedRow {
  readonly next_id: string;
  /** Null, like all following columns, when the delivery may not be sent. */
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

const toClaimedDelivery = (row: ClaimedRow, claim: string, now: number): ClaimedDelivery => ({
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

/** Locks the partition. @returns false when the lease was lost */
export async function lockPartition(trx: Knex, { host, partition, lease }: DeliveryPartition): Promise<boolean> {
  return (await trx('delivery_partitions').where({ host, partition, lease }).forUpdate().select('partition')).length > 0;
}

/**
 * Releases the lease of a locked partition, and sets its due time to that of its next delivery: now, behind the other partitions, when
 * one is due already. The statement begins after the partition was locked, so it sees every delivery added before; a delivery added
 * later marks the partition as due itself.
 */
export async function releasePartition(trx: Knex, { host, partition, slow }: DeliveryPartition, now: number): Promise<void> {
  await trx.raw(
    `UPDATE delivery_partitions SET lease = NULL, leased_until = NULL, slow = :slow, due_at = coalesce(
       (SELECT CAST(:now AS timestamptz) WHERE EXISTS (
         SELECT FROM deliveries WHERE host = :host AND partition = :partition AND state IN ('pending', 'sending') AND due_at <= :now)),
       (SELECT min(due_at) FROM deliveries WHERE host = :host AND partition = :partition AND state IN ('pending', 'sending')))
     WHERE host = :host AND partition = :partition`,
    { host, partition, slow, now: new Date(now) },
  );
}

/** Releases the lease during an attempt: the next process that leases the partition sends the delivery again. */
export async function abandonPartition(db: Knex, { host, partition, lease }: DeliveryPartition): Promise<void> {
  await db('delivery_partitions').where({ host, partition, lease }).update({ lease: null, leased_until: null });
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

/** State of a locked monitor. */
export interface LockedMonitor {
  readonly health: EndpointHealth;
  readonly cancelled: boolean;
}

/** Locks a monitor until the transaction ends. */
export async function lockMonitor(trx: Knex, id: string): Promise<LockedMonitor> {
  const row = await trx('monitors').where({ id }).forNoKeyUpdate().first('failures', 'failing_since', 'disabled_at', 'cancelled_at');
  const health = {
    failures: row.failures,
    failingSince: row.failing_since?.getTime() ?? null,
    disabledAt: row.disabled_at?.getTime() ?? null,
  };
  return { health, cancelled: row.cancelled_at !== null };
}

export async function saveHealth(trx: Knex, id: string, { failures, failingSince, disabledAt }: EndpointHealth): Promise<void> {
  await trx('monitors')
    .where({ id })
    .update({ failures, failing_since: toDate(failingSince), disabled_at: toDate(disabledAt) });
}

/**
 * Stores the outcome of an attempt, and the new state of its delivery: settled, or due again. Its partition must be locked.
 * @param dueAt of the next attempt, epoch ms; null when there is no further attempt
 */
export async function recordOutcome(
  trx: Knex,
  { id, claim, attempts }: ClaimedDelivery,
  { outcome, dueAt, now }: { readonly outcome: AttemptOutcome; readonly dueAt: number | null; readonly now: number },
): Promise<void> {
  const { latencyMs, status, error, answer } = outcome;
  await trx('delivery_attempts').where({ delivery_id: id, number: attempts }).update({ latency_ms: latencyMs, status, error, answer });
  const revision = await allocatePositions(trx, 'deliveries', 1);
  const settled = dueAt === null ? { state: error === null ? 'delivered' : 'failed', settled_at: new Date(now) } : { state: 'pending' };
  await trx('deliveries')
    .where({ id, claim })
    .update({ ...settled, due_at: toDate(dueAt), claim: null, revision });
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
