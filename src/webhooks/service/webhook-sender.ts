import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { enqueue } from '../../jobs/job.ts';
import type { ServiceDeps } from '../../service.ts';
import { healthAfterAttempt, parkingMs, retryDelayMs } from '../domain/delivery.ts';
import { type AttemptOutcome, type RecordedAttempt, recordOutcomes, withdrawAttempt } from '../store/delivery-log.ts';
import {
  abandonPartition,
  type ClaimedDelivery,
  claimDeliveries,
  claimNextDelivery,
  claimPartitions,
  type DeliveryPartition,
  lockPartitions,
  releasePartitions,
} from '../store/delivery-partitions.ts';
import { dropPending } from '../store/delivery-queue.ts';
import { type LockedEndpoint, lockEndpoints, saveHealth, saveParking } from '../store/endpoints.ts';
import { DELIVER } from './messages.ts';
import type { WebhookSettings } from './settings.ts';
import { sendWebhook } from './webhook-request.ts';

/*
 * Sends webhooks at least once, and one at a time per subject. A process claims due partitions, each with a slot of its host, sends one
 * delivery of each, records the outcome and releases the partition (`store/delivery-partitions.ts`). A process has 64 concurrent requests,
 * of which at most 32 go to partitions that are not known to be quick. Claiming costs two statements for all free slots; outcomes are
 * committed in groups. If a process dies, its leases expire after 30 s, and another process sends the deliveries again under the same ids.
 */

/** Sends the deliveries of due partitions. */
export interface WebhookSender {
  /** Starts sending due deliveries in free slots. Does not wait for the requests. */
  sendDue(): Promise<void>;
  /** Calls `sendDue`, and enqueues the job `DELIVER` again, so that polling finds partitions of killed processes. */
  sendDueAndReschedule(): Promise<void>;
  /** Claims no more deliveries, waits 5 s for pending requests and aborts the rest, which another process sends again. */
  close(): Promise<void>;
}

/** Maximum number of concurrent requests in a process. */
const SLOTS = 64;
/** Maximum number of slots for partitions that are not known to be quick. If they hang, the other slots stay free for quick partitions. */
const SLOW_SLOTS = 32;
const POLL_MS = 15 * SECOND_MS;
/** Interval of the job while a process sends. Any process may run it, so idle processes begin to send. */
const BUSY_POLL_MS = SECOND_MS;
/** Duration of a pause after the egress proxy failed. */
const PROXY_PAUSE_MS = 10 * SECOND_MS;
const CLOSE_TIMEOUT_MS = 5 * SECOND_MS;

export interface SenderDeps extends Pick<ServiceDeps, 'db' | 'now' | 'random' | 'log' | 'webhooks'> {
  readonly sealer: ReturnType<ServiceDeps['sealerFor']>;
  readonly settings: Pick<WebhookSettings, 'plainHttp'>;
}

export function createWebhookSender(deps: SenderDeps): WebhookSender {
  const { db, now, log } = deps;
  const { plainHttp: publicHttp } = deps.settings;
  const recorder = createAttemptRecorder(deps);
  const abort = new AbortController();
  const underWay = new Map<Promise<void>, DeliveryPartition>();
  let closed = false;
  let pausedUntil = 0;

  async function sendNext(partition: DeliveryPartition, claiming: ReturnType<typeof claimDeliveries>): Promise<void> {
    const claimed = await claiming;
    const delivery = claimed.has(partition) ? claimed.get(partition) : await claimNextDelivery(db, partition, now());
    if (!delivery) return releaseIdlePartition(deps, partition);
    const outcome = await sendWebhook(deps, delivery, { publicHttp, signal: abort.signal });
    if (outcome === 'stopped') return abandonPartition(db, partition);
    if (outcome !== 'proxy_failed') return recorder.record({ ...partition, delivery, outcome });
    pausedUntil = now() + PROXY_PAUSE_MS;
    await withdraw(deps, partition, delivery);
  }

  /** After an error of our own, the partition stays leased until the lease expires, which prevents a tight loop. */
  function start(partition: DeliveryPartition, claiming: ReturnType<typeof claimDeliveries>): void {
    const working = sendNext(partition, claiming)
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
    const partitions = await claimPartitions(db, { limit, slowLimit }, now());
    if (partitions.length === 0) return;
    const claiming = claimDeliveries(db, partitions, now());
    for (const partition of partitions) start(partition, claiming);
  });

  return {
    sendDue,
    async sendDueAndReschedule() {
      await enqueue(db, DELIVER, {}, { key: DELIVER, runAt: now() + POLL_MS });
      await sendDue();
      if (underWay.size > 0) await enqueue(db, DELIVER, {}, { key: DELIVER, runAt: now() + BUSY_POLL_MS });
    },
    async close() {
      closed = true;
      await sendDue().catch(() => undefined); // partitions that are being claimed are processed, too
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

/** Undoes an attempt that the egress proxy prevented: it does not count, and the delivery keeps its place. */
async function withdraw(
  { db, now }: Pick<ServiceDeps, 'db' | 'now'>,
  partition: DeliveryPartition,
  delivery: ClaimedDelivery,
): Promise<void> {
  await db.transaction(async (trx) => {
    const locked = await lockPartitions(trx, [partition], { wait: true });
    if (locked.length === 0) return;
    await withdrawAttempt(trx, delivery);
    await releasePartitions(trx, locked, now());
  });
}

/** Releases a partition without due deliveries. */
async function releaseIdlePartition({ db, now }: Pick<ServiceDeps, 'db' | 'now'>, partition: DeliveryPartition): Promise<void> {
  await db.transaction(async (trx) => {
    const locked = await lockPartitions(trx, [partition], { wait: true });
    if (locked.length > 0) await releasePartitions(trx, locked, now());
  });
}

/** A request that has ended, and its leased partition. */
interface FinishedAttempt extends DeliveryPartition {
  readonly delivery: ClaimedDelivery;
  readonly outcome: AttemptOutcome;
}

/** Stores the outcomes of requests. Concurrent ones share a transaction. */
interface AttemptRecorder {
  /**
   * Resolves when the outcome is committed: the attempt, the time of the next one, the health of the endpoint, and the release of the
   * partition. Stores nothing when another process took over the partition, because that process stores its own outcome.
   * @throws whatever the database throws; the partition stays leased
   */
  record(attempt: FinishedAttempt): Promise<void>;
}

/** A request that takes at least this long is slow. */
const SLOW_MS = 2 * SECOND_MS;

interface Batch {
  readonly attempts: FinishedAttempt[];
  readonly written: PromiseWithResolvers<ReadonlySet<FinishedAttempt>>;
}

type RecorderDeps = Pick<ServiceDeps, 'db' | 'now' | 'random'>;

/**
 * Group commit: while one transaction runs, the outcomes that arrive are collected for the next one. An outcome waits in a transaction of
 * its own if another transaction has locked its partition, for example to add changes, so that it does not delay the others. After a
 * transaction failed, each of its outcomes is stored in a transaction of its own, so that one that cannot be stored does not block the
 * others.
 */
function createAttemptRecorder(deps: RecorderDeps): AttemptRecorder {
  let next: Batch | null = null;
  let isWriting = false;

  async function writeBatches(): Promise<void> {
    for (let batch = next; batch; batch = next) {
      next = null;
      const { attempts, written } = batch;
      await recordAttempts(deps, attempts, { wait: false }).then(
        (recorded) => written.resolve(new Set(recorded)),
        () => written.resolve(new Set()),
      );
    }
    isWriting = false;
  }

  return {
    async record(attempt) {
      next ??= { attempts: [], written: Promise.withResolvers() };
      next.attempts.push(attempt);
      const { written } = next;
      if (!isWriting) setImmediate(writeBatches); // outcomes of this tick of the event loop share a transaction
      isWriting = true;
      if (!(await written.promise).has(attempt)) await recordAttempts(deps, [attempt], { wait: true });
    },
  };
}

/** Records the attempts whose partitions it can lock, and returns those. */
const recordAttempts = (
  { db, now, random }: RecorderDeps,
  attempts: readonly FinishedAttempt[],
  locking: { readonly wait: boolean },
): Promise<readonly FinishedAttempt[]> =>
  inTransaction(db, async (trx) => {
    const failed = attempts.filter(({ outcome }) => outcome.error !== null).map(({ endpointId }) => endpointId);
    const states = await lockEndpoints(trx, [...new Set(attempts.map(({ endpointId }) => endpointId))], failed);
    const locked = new Set(await lockPartitions(trx, attempts, locking));
    const held = attempts.filter((attempt) => locked.has(attempt)); // in the order in which they ended
    if (held.length === 0) return held;
    const at = now();
    const endpoints = new Map(states.map((state) => [state.id, new EndpointState(state)]));
    const recorded = held.map(({ endpointId, delivery, outcome }): RecordedAttempt => {
      const isLast = endpoints.get(endpointId)?.add(outcome, at) ?? true; // without a state, the attempt succeeded and changes nothing
      return { delivery, outcome, dueAt: isLast ? null : nextAttemptAt(delivery, outcome, { now: at, random: random() }) };
    });
    for (const { dueAt } of recorded) if (dueAt !== null) await enqueue(trx, DELIVER, {}, { runAt: dueAt });
    await recordOutcomes(trx, recorded, at);
    for (const endpoint of endpoints.values()) await endpoint.save(trx, at);
    const released = held.map(({ outcome, ...partition }) => ({ ...partition, quick: outcome.latencyMs < SLOW_MS }));
    await releasePartitions(trx, released, at);
    return held;
  });

/** Computes the state of an endpoint while the outcomes of its attempts are added. */
class EndpointState {
  readonly #before: LockedEndpoint;
  #health: LockedEndpoint['health'];
  #timeouts: number;
  /** Epoch ms; null if it is not parked, undefined if the stored value stays unchanged. */
  #parkedUntil: number | null | undefined;
  /** True when one of the outcomes disabled it. */
  #wasDisabled = false;

  constructor(before: LockedEndpoint) {
    this.#before = before;
    this.#health = before.health;
    this.#timeouts = before.timeouts;
  }

  /** Returns true when no further attempt is made because of the state. */
  add({ error }: AttemptOutcome, at: number): boolean {
    const wasEnabled = this.#health.disabledAt === null;
    this.#health = healthAfterAttempt(this.#health, error === null, at);
    const isDisabled = this.#health.disabledAt !== null;
    if (isDisabled && wasEnabled) this.#wasDisabled = true;
    this.#addTimeout(error === 'timeout', at);
    return this.#before.closed || isDisabled;
  }

  /** Parks all partitions of an endpoint that timed out, until it responds in time with any status. */
  #addTimeout(timedOut: boolean, at: number): void {
    const timeouts = timedOut ? this.#timeouts + 1 : 0;
    if (timeouts === this.#timeouts) return;
    this.#timeouts = timeouts;
    this.#parkedUntil = timeouts === 0 ? null : at + parkingMs(timeouts);
  }

  async save(trx: Knex, at: number): Promise<void> {
    const { id, health: before } = this.#before;
    const { failures, failingSince } = this.#health;
    if (failures !== before.failures || failingSince !== before.failingSince) await saveHealth(trx, id, this.#health);
    if (this.#wasDisabled) await dropPending(trx, id, at);
    if (this.#parkedUntil === undefined) return;
    await saveParking(trx, id, this.#timeouts, this.#parkedUntil);
    if (this.#parkedUntil !== null) await enqueue(trx, DELIVER, {}, { runAt: this.#parkedUntil });
  }
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
