import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { SECOND_MS } from '../../domain/time.ts';
import type { RetryPolicy } from '../domain/delivery.ts';
import { dropUndeliverable, SLOTS_PER_HOST } from './delivery-queue.ts';
import { type ReplacedSecrets, validReplaced } from './endpoints.ts';

/*
 * Claims and leases of webhook deliveries. An endpoint has four partitions, chosen by a hash of endpoint and subject, and a host has four
 * slots. A request needs one of each, so a host gets at most four concurrent requests from all processes, and the webhooks of a subject
 * are sent one at a time. Claims use SKIP LOCKED, so processes do not wait for each other. A lease has a random id and an expiry time.
 * Statements that record an outcome or release a partition look it up by this id, so they change nothing once another process has leased it.
 * The reasons are in docs/decisions/0007-delivery-partitions.md.
 */

/** A partition of an endpoint and a slot of its host, both leased by this process. No other process uses them until the lease ends. */
export interface DeliveryPartition {
  readonly endpointId: string;
  readonly partition: number;
  readonly host: string;
  /** Slot of the host, from 0. */
  readonly slot: number;
  readonly lease: string;
  /** True when its last request was quick. */
  readonly quick: boolean;
}

/** A delivery whose attempt is stored and not finished. */
export interface ClaimedDelivery {
  readonly id: string;
  /** UUID of the attempt: its outcome is stored only while the delivery still has this claim. */
  readonly claim: string;
  readonly endpointId: string;
  /** `webhook-id`. */
  readonly eventId: string;
  readonly body: string;
  /** Number of this attempt, from 1. */
  readonly attempts: number;
  readonly webhookUrl: string;
  /** Sealed secrets: the current one, then those replaced, the newest first, while each is valid. */
  readonly secrets: readonly [Buffer, ...Buffer[]];
  readonly retryPolicy: RetryPolicy;
}

/** Duration of a lease. It is longer than an attempt and its writes. */
const LEASE_MS = 30 * SECOND_MS;

/** Number of partitions to claim, and how many of them may be not known to be quick. */
export interface FreeSlots {
  readonly limit: number;
  readonly slowLimit: number;
  /** If true, one statement reads the first due partitions, and no further one reads more of them. */
  readonly firstOnly?: boolean;
}

export interface ClaimedPartitions {
  readonly leased: readonly DeliveryPartition[];
  /** True if fewer partitions than the limit are leased, and more are due than were read. */
  readonly isCut: boolean;
}

/** Number of due partitions that the first statement reads. Further statements read more, if the slots of their hosts are in use. */
const FIRST_WINDOW = 512;
const WINDOW_GROWTH = 8;

/**
 * Leases due partitions that no other process has leased, the longest due first, each with a free slot of its host. Partitions that are
 * not known to be quick get slots from FIRST_OPEN_SLOT on only, so that endpoints that hang leave slots for others of their host. Parked
 * endpoints are skipped.
 */
export async function claimPartitions(
  db: Knex,
  { limit, slowLimit, firstOnly = false }: FreeSlots,
  now: number,
): Promise<ClaimedPartitions> {
  const claimed: DeliveryPartition[] = [];
  const bindings = { now: new Date(now), until: new Date(now + LEASE_MS), lease: randomUUID(), open: FIRST_OPEN_SLOT };
  for (let window = FIRST_WINDOW; claimed.length < limit; window *= WINDOW_GROWTH) {
    const slow = claimed.filter(({ quick }) => !quick).length;
    const free = { limit: limit - claimed.length, slowLimit: slowLimit - slow };
    const { rows } = await db.raw(CLAIM_PARTITIONS, { ...bindings, ...free, window });
    const [{ due, leased }]: readonly [{ readonly due: number; readonly leased: readonly DeliveryPartition[] }] = rows;
    claimed.push(...leased);
    if (due < window) break;
    if (firstOnly) return { leased: claimed, isCut: claimed.length < limit };
  }
  return { leased: claimed, isCut: false };
}

/** Slots of a host below this number are reserved for quick partitions. */
const FIRST_OPEN_SLOT = SLOTS_PER_HOST / 2;

/** SQL: true for a partition or slot `of` without a valid lease. */
const isFree = (of: string): string => `(${of}.lease IS NULL OR ${of}.leased_until <= :now)`;

/**
 * SQL: claims partitions and slots of their hosts under one lease.
 *
 * endpoint_partitions (due, longest first)     webhook_host_slots (4 per host)
 *   endpoint A, partition 0  quick     ──────▶   slot 0 ┐ quick partitions take
 *   endpoint A, partition 3  quick     ──────▶   slot 1 ┘ the lowest free slots
 *   endpoint B, partition 1  not quick ───┐      slot 2 ┐ other partitions take
 *   endpoint B, partition 2  not quick    └──▶   slot 3 ┘ the highest, from :open on
 *
 * claim:   lease = :lease, leased_until = :until, on both rows of each pair
 * send:    one delivery, claimed in the next statement and committed before the request
 * release: lease = NULL on both rows; due_at = due time of the next delivery of the partition
 * crash:   leased_until passes, and any process claims the rows again
 */
const CLAIM_PARTITIONS = `
  WITH due AS MATERIALIZED (
      SELECT p.monitor_id, p.partition, p.host, p.due_at, p.quick FROM endpoint_partitions p LEFT JOIN webhook_endpoints e ON e.id = p.monitor_id
      WHERE p.due_at <= :now AND ${isFree('p')} AND (e.parked_until IS NULL OR e.parked_until <= :now)
        AND (p.quick OR CAST(:slowLimit AS int) > 0)
      ORDER BY p.due_at LIMIT :window),
    hosts AS (SELECT host FROM due GROUP BY host ORDER BY min(due_at) LIMIT CAST(:limit AS int) + CAST(:slowLimit AS int)),
    slots AS MATERIALIZED (
      SELECT s.host, s.slot FROM webhook_host_slots s WHERE s.host IN (SELECT host FROM hosts) AND ${isFree('s')} FOR UPDATE SKIP LOCKED),
    slow AS MATERIALIZED (
      SELECT d.*, s.slot FROM (SELECT *, row_number() OVER (PARTITION BY host ORDER BY due_at) AS n FROM due WHERE NOT quick) AS d
        JOIN (SELECT *, row_number() OVER (PARTITION BY host ORDER BY slot DESC) AS n FROM slots WHERE slot >= :open) AS s USING (host, n)
      ORDER BY d.due_at LIMIT :slowLimit),
    quick AS MATERIALIZED (
      SELECT d.*, s.slot FROM (SELECT *, row_number() OVER (PARTITION BY host ORDER BY due_at) AS n FROM due WHERE quick) AS d
        JOIN (SELECT *, row_number() OVER (PARTITION BY host ORDER BY slot) AS n FROM slots
          WHERE NOT EXISTS (SELECT FROM slow WHERE slow.host = slots.host AND slow.slot = slots.slot)) AS s USING (host, n)),
    chosen AS (SELECT * FROM slow UNION ALL SELECT * FROM quick ORDER BY due_at LIMIT :limit),
    locked AS MATERIALIZED (
      SELECT p.monitor_id, p.partition FROM endpoint_partitions p JOIN chosen USING (monitor_id, partition)
      WHERE p.due_at <= :now AND ${isFree('p')} FOR UPDATE OF p SKIP LOCKED),
    leased AS (
      UPDATE endpoint_partitions p SET lease = :lease, leased_until = :until FROM chosen JOIN locked USING (monitor_id, partition)
      WHERE p.monitor_id = chosen.monitor_id AND p.partition = chosen.partition
      RETURNING p.monitor_id, p.partition, p.lease, p.quick, chosen.host, chosen.slot),
    taken AS (
      UPDATE webhook_host_slots s SET lease = :lease, leased_until = :until FROM leased WHERE s.host = leased.host AND s.slot = leased.slot)
  SELECT (SELECT count(*)::int FROM due) AS due, coalesce(json_agg(json_build_object(
    'endpointId', monitor_id, 'partition', partition, 'host', host, 'slot', slot, 'lease', lease, 'quick', quick)), '[]') AS leased FROM leased`;

/**
 * Claims the next due delivery of each leased partition, and stores its attempt. A delivery whose process died while sending is claimed
 * again. It runs as one statement and thus one transaction, which commits before the requests begin.
 * @returns null for a partition without a due delivery. Partitions that another transaction has locked, whose lease was lost, or whose
 * next delivery may not be sent, are missing: call `claimNextDelivery` for these
 */
export async function claimDeliveries(
  db: Knex,
  partitions: readonly DeliveryPartition[],
  now: number,
): Promise<ReadonlyMap<DeliveryPartition, ClaimedDelivery | null>> {
  const rows = await claim(db, partitions, now, CLAIM_UNLOCKED);
  return new Map(rows.flatMap(({ partition, nextId, delivery }) => (delivery || nextId === null ? [[partition, delivery]] : [])));
}

/**
 * Claims the next due delivery of one partition like `claimDeliveries`, and waits while another transaction has locked it. It drops
 * deliveries of endpoints that are closed, disabled or without a URL.
 * @returns null when no delivery is due, or the lease was lost
 */
export async function claimNextDelivery(db: Knex, partition: DeliveryPartition, now: number): Promise<ClaimedDelivery | null> {
  for (;;) {
    const [row] = await claim(db, [partition], now, CLAIM_WAITING);
    if (!row || row.nextId === null) return null;
    if (row.delivery) return row.delivery;
    await db.transaction(async (trx) => {
      const [locked] = await lockPartitions(trx, [partition], { wait: true });
      if (locked) await dropUndeliverable(trx, locked, now);
    });
  }
}

/** Bindings of a statement on partitions: arrays of the same length. */
const keysOf = (partitions: readonly DeliveryPartition[]) => ({
  endpointIds: partitions.map(({ endpointId }) => endpointId),
  partitions: partitions.map(({ partition }) => partition),
  leases: partitions.map(({ lease }) => lease),
});

/** SQL: locks the partitions that are still leased, in the order of all writers; `n` counts the keys from 1. */
const LOCK_PARTITIONS = `
  SELECT key.n, monitor_id, partition
  FROM unnest(CAST(:endpointIds AS uuid[]), CAST(:partitions AS smallint[]), CAST(:leases AS uuid[]))
      WITH ORDINALITY AS key (monitor_id, partition, lease, n)
    JOIN endpoint_partitions p USING (monitor_id, partition, lease) ORDER BY monitor_id, partition FOR UPDATE OF p`;

/** SQL: claims deliveries. It locks them in the order of revisions, like every writer of several deliveries. */
const claimStatement = (lock: string): string => `
  WITH leased AS MATERIALIZED (${lock}),
    next AS MATERIALIZED (
      SELECT leased.n, due.id FROM leased, LATERAL (
        SELECT d.id FROM deliveries d WHERE d.monitor_id = leased.monitor_id AND d.partition = leased.partition
          AND d.state IN ('pending', 'sending') AND d.due_at <= :now ORDER BY d.revision LIMIT 1) AS due),
    locked AS MATERIALIZED (
      SELECT d.id FROM deliveries d JOIN next USING (id) WHERE d.state IN ('pending', 'sending') ORDER BY d.revision FOR UPDATE OF d),
    interrupted AS (
      UPDATE delivery_attempts a SET error = 'interrupted' FROM next
      WHERE a.delivery_id = next.id AND a.latency_ms IS NULL AND a.error IS NULL),
    claimed AS (
      UPDATE deliveries d SET state = 'sending', claim = :claim, attempts = d.attempts + 1 FROM locked, webhook_endpoints e
      WHERE d.id = locked.id AND e.id = d.monitor_id AND e.closed_at IS NULL AND e.disabled_at IS NULL AND e.url IS NOT NULL
      RETURNING d.id, d.monitor_id, d.event_id, d.body, d.attempts,
        e.url, e.secret, e.old_secret, e.old_secret_until, e.earlier_secrets, e.retry_policy),
    recorded AS (INSERT INTO delivery_attempts (delivery_id, number, started_at) SELECT id, attempts, CAST(:now AS timestamptz) FROM claimed)
  SELECT leased.n, next.id AS next_id, claimed.* FROM leased LEFT JOIN next USING (n) LEFT JOIN claimed ON claimed.id = next.id`;

const CLAIM_WAITING = claimStatement(LOCK_PARTITIONS);
const CLAIM_UNLOCKED = claimStatement(`${LOCK_PARTITIONS} SKIP LOCKED`);

/** Returns the locked partitions with the ids of their next deliveries, and the deliveries that may be sent. */
async function claim(db: Knex, partitions: readonly DeliveryPartition[], now: number, statement: string) {
  const claimId = randomUUID();
  const { rows } = await db.raw(statement, { ...keysOf(partitions), claim: claimId, now: new Date(now) });
  const found: readonly ClaimedRow[] = rows;
  return found.flatMap((row) => {
    const partition = partitions[Number(row.n) - 1];
    return partition ? [{ partition, nextId: row.next_id, delivery: isClaimed(row) ? toClaimedDelivery(row, claimId, now) : null }] : [];
  });
}

interface ClaimedRow extends ReplacedSecrets {
  readonly n: string;
  /** Null when no delivery is due. */
  readonly next_id: string | null;
  /** Null, like all following columns, when the delivery may not be sent. */
  readonly id: string | null;
  readonly monitor_id: string;
  readonly event_id: string;
  readonly body: string;
  readonly attempts: number;
  readonly url: string;
  readonly secret: Buffer;
  readonly retry_policy: RetryPolicy;
}

const isClaimed = (row: ClaimedRow): row is ClaimedRow & { readonly id: string } => row.id !== null;

const toClaimedDelivery = (row: ClaimedRow & { readonly id: string }, claim: string, now: number): ClaimedDelivery => ({
  id: row.id,
  claim,
  endpointId: row.monitor_id,
  eventId: row.event_id,
  body: row.body,
  attempts: row.attempts,
  webhookUrl: row.url,
  secrets: [row.secret, ...validReplaced(row, now)],
  retryPolicy: row.retry_policy,
});

/**
 * Locks partitions that this process still leases, and returns those. A lease that was lost is not returned.
 * @param wait false: a partition that another transaction has locked is skipped, so that it does not delay the others
 */
export async function lockPartitions<P extends DeliveryPartition>(
  trx: Knex,
  partitions: readonly P[],
  { wait }: { readonly wait: boolean },
): Promise<readonly P[]> {
  const { rows } = await trx.raw(wait ? LOCK_PARTITIONS : `${LOCK_PARTITIONS} SKIP LOCKED`, keysOf(partitions));
  const found: readonly { readonly n: string }[] = rows;
  return found.flatMap(({ n }) => partitions[Number(n) - 1] ?? []);
}

/**
 * Releases the leases of locked partitions, and sets their due times to those of their next deliveries; to now, if a delivery is due
 * already, so that other partitions come first. The statement begins after the partitions were locked, so it sees every delivery added
 * before; a delivery added later marks its partition as due itself.
 */
export async function releasePartitions(trx: Knex, partitions: readonly DeliveryPartition[], now: number): Promise<void> {
  await trx.raw(RELEASE_PARTITIONS, {
    ...keysOf(partitions),
    hosts: partitions.map(({ host }) => host),
    slots: partitions.map(({ slot }) => slot),
    quick: partitions.map(({ quick }) => quick),
    now: new Date(now),
  });
}

const WAITING = "FROM deliveries d WHERE d.monitor_id = p.monitor_id AND d.partition = p.partition AND d.state IN ('pending', 'sending')";

const RELEASE_PARTITIONS = `
  WITH done AS (
      SELECT * FROM unnest(CAST(:endpointIds AS uuid[]), CAST(:partitions AS smallint[]), CAST(:hosts AS text[]), CAST(:slots AS smallint[]),
        CAST(:leases AS uuid[]), CAST(:quick AS boolean[])) AS done (monitor_id, partition, host, slot, lease, quick)),
    slots AS (
      UPDATE webhook_host_slots s SET lease = NULL, leased_until = NULL FROM done WHERE (s.host, s.slot, s.lease) = (done.host, done.slot, done.lease))
  UPDATE endpoint_partitions p SET lease = NULL, leased_until = NULL, quick = done.quick, due_at = coalesce(
    (SELECT CAST(:now AS timestamptz) WHERE EXISTS (SELECT ${WAITING} AND d.due_at <= :now)), (SELECT min(d.due_at) ${WAITING}))
  FROM done WHERE p.monitor_id = done.monitor_id AND p.partition = done.partition`;

/**
 * Releases the leases of a partition whose attempt is not finished. The next process that leases the partition sends the delivery again.
 */
export async function abandonPartition(db: Knex, { endpointId, partition, host, slot, lease }: DeliveryPartition): Promise<void> {
  const unleased = { lease: null, leased_until: null };
  await db('endpoint_partitions').where({ monitor_id: endpointId, partition, lease }).update(unleased);
  await db('webhook_host_slots').where({ host, slot, lease }).update(unleased);
}
