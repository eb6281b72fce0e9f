import type { Knex } from 'knex';
import { SECOND_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import type { ServiceDeps } from '../../../service.ts';
import { healthAfterAttempt, parkingMs, retryDelayMs } from '../domain/delivery.ts';
import {
  type AttemptOutcome,
  abandonPartition,
  type ClaimedDelivery,
  claimNextDelivery,
  claimPartitions,
  type DeliveryPartition,
  lockMonitor,
  lockPartition,
  recordOutcome,
  releasePartition,
  saveHealth,
  saveParking,
  withdrawAttempt,
} from '../store/delivery-partitions.ts';
import { dropPending } from '../store/delivery-queue.ts';
import { DELIVER } from './publish.ts';
import type { MonitorSettings } from './settings.ts';
import { sendWebhook } from './webhook-request.ts';

/** Sends the deliveries of due partitions. */
export interface WebhookSender {
  /** Starts sending due deliveries in free slots. Does not wait for the requests. */
  sendDue(): Promise<void>;
  /** `sendDue`, and enqueues the job `DELIVER` again, so that partitions of killed processes are found by polling. */
  sendDueAndReschedule(): Promise<void>;
  /** Claims nothing more, waits 5 s for requests under way and interrupts the rest, which another process sends again. */
  close(): Promise<void>;
}

/** Maximum number of concurrent requests in a process. */
const SLOTS = 64;
/** Slots for partitions that are not known to be quick: however many of them hang, the quick ones have free slots. */
const SLOW_SLOTS = 32;
/** A request that takes at least this long is slow. */
const SLOW_MS = 2 * SECOND_MS;
const POLL_MS = 15 * SECOND_MS;
/** How long nothing is sent after the egress proxy failed. */
const PROXY_PAUSE_MS = 10 * SECOND_MS;
const CLOSE_TIMEOUT_MS = 5 * SECOND_MS;

export interface SenderDeps extends Pick<ServiceDeps, 'db' | 'now' | 'random' | 'log' | 'webhooks'> {
  readonly sealer: ReturnType<ServiceDeps['sealerFor']>;
  readonly settings: Pick<MonitorSettings, 'plainHttp'>;
}

export function createWebhookSender(deps: SenderDeps): WebhookSender {
  const { db, now, log } = deps;
  const { plainHttp: publicHttp } = deps.settings;
  const abort = new AbortController();
  const underWay = new Map<Promise<void>, DeliveryPartition>();
  let closed = false;
  let pausedUntil = 0;

  async function sendNext(partition: DeliveryPartition): Promise<void> {
    const delivery = await claimNextDelivery(db, partition, now());
    if (!delivery) return releaseIdlePartition(deps, partition);
    const outcome = await sendWebhook(deps, delivery, { publicHttp, signal: abort.signal });
    if (outcome === 'stopped') return abandonPartition(db, partition);
    if (outcome !== 'proxy_failed') return recordAttempt(deps, { partition, delivery, outcome });
    pausedUntil = now() + PROXY_PAUSE_MS;
    await withdraw(deps, partition, delivery);
  }

  /** After an error of our own, the partition stays leased until the lease expires, which prevents a tight loop. */
  function start(partition: DeliveryPartition): void {
    const working = sendNext(partition)
      .catch((error: Error) =>
        log.error({ err: error, host: partition.host }, 'a delivery failed by an internal error; retried after the lease'),
      )
      .finally(() => underWay.delete(working))
      .then(() => sendDue())
      .catch((error: Error) => log.error({ err: error }, 'due partitions could not be claimed'));
    underWay.set(working, partition);
  }

  const sendDue = serialized(async () => {
    const limit = SLOTS - underWay.size;
    if (closed || limit === 0 || now() < pausedUntil) return;
    const slowLimit = SLOW_SLOTS - [...underWay.values()].filter(({ quick }) => !quick).length;
    for (const partition of await claimPartitions(db, { limit, slowLimit }, now())) start(partition);
  });

  return {
    sendDue,
    async sendDueAndReschedule() {
      await enqueue(db, DELIVER, {}, { key: DELIVER, runAt: now() + POLL_MS });
      await sendDue();
    },
    async close() {
      closed = true;
      await sendDue().catch(() => undefined); // partitions of a claim under way are processed, too
      const timer = setTimeout(() => abort.abort(), CLOSE_TIMEOUT_MS);
      await Promise.all(underWay.keys());
      clearTimeout(timer);
    },
  };
}

/** Runs one call at a time. All calls during a run share the next run. */
function serialized(run: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= last.then(() => {
      next = null;
      return run();
    });
    last = next.catch(() => undefined);
    return next;
  };
}

/**
 * Stores the outcome of a request in one transaction: the attempt, the time of the next one, the health of the endpoint, and the release
 * of the partition. Stores nothing when another process took over the partition: its outcome counts.
 */
async function recordAttempt(
  { db, now, random }: Pick<ServiceDeps, 'db' | 'now' | 'random'>,
  {
    partition,
    delivery,
    outcome,
  }: { readonly partition: DeliveryPartition; readonly delivery: ClaimedDelivery; readonly outcome: AttemptOutcome },
): Promise<void> {
  await db.transaction(async (trx) => {
    const { health: before, timeouts, cancelled } = await lockMonitor(trx, delivery.monitorId);
    if (!(await lockPartition(trx, partition))) return;
    const at = now();
    const health = healthAfterAttempt(before, outcome.error === null, at);
    const isLast = cancelled || health.disabledAt !== null;
    const dueAt = isLast ? null : nextAttemptAt(delivery, outcome, { now: at, random: random() });
    if (health.failures !== before.failures) await saveHealth(trx, delivery.monitorId, health);
    if (dueAt !== null) await enqueue(trx, DELIVER, {}, { runAt: dueAt });
    await recordOutcome(trx, delivery, { outcome, dueAt, now: at });
    if (health.disabledAt !== null && before.disabledAt === null) await dropPending(trx, delivery.monitorId, at);
    await parkAfterTimeout(trx, delivery.monitorId, timeouts, { outcome, at });
    await releasePartition(trx, { ...partition, quick: outcome.latencyMs < SLOW_MS }, at);
  });
}

/** Takes back an attempt that the egress proxy prevented: it does not count, and the delivery keeps its place. */
async function withdraw(
  { db, now }: Pick<ServiceDeps, 'db' | 'now'>,
  partition: DeliveryPartition,
  delivery: ClaimedDelivery,
): Promise<void> {
  await db.transaction(async (trx) => {
    if (!(await lockPartition(trx, partition))) return;
    await withdrawAttempt(trx, delivery);
    await releasePartition(trx, partition, now());
  });
}

/** Parks an endpoint that timed out, all its partitions, and stops parking it once it answers in time, however it answers. */
async function parkAfterTimeout(
  trx: Knex,
  monitorId: string,
  before: number,
  { outcome, at }: { readonly outcome: AttemptOutcome; readonly at: number },
): Promise<void> {
  const timeouts = outcome.error === 'timeout' ? before + 1 : 0;
  if (timeouts === before) return;
  const parkedUntil = timeouts === 0 ? null : at + parkingMs(timeouts);
  await saveParking(trx, monitorId, timeouts, parkedUntil);
  if (parkedUntil !== null) await enqueue(trx, DELIVER, {}, { runAt: parkedUntil });
}

/** Epoch ms; null without a further attempt. */
function nextAttemptAt(
  { retryPolicy, attempts }: ClaimedDelivery,
  { error, status, retryAfterMs }: AttemptOutcome,
  { now, random }: { readonly now: number; readonly random: number },
): number | null {
  if (error === null || retryPolicy === 'none') return null;
  const delay = retryDelayMs({ attempts, status, retryAfterMs }, random);
  return delay === null ? null : now + delay;
}

/** Releases a partition without due deliveries. */
async function releaseIdlePartition({ db, now }: Pick<ServiceDeps, 'db' | 'now'>, partition: DeliveryPartition): Promise<void> {
  await db.transaction(async (trx) => {
    if (await lockPartition(trx, partition)) await releasePartition(trx, partition, now());
  });
}
