import type { Knex } from 'knex';
import { SECOND_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import type { ServiceDeps } from '../../../service.ts';
import { healthAfterAttempt, parkingMs, retryDelayMs } from '../domain/delivery.ts';
import {
  type AttemptOutcome,
  type LockedMonitor,
  lockMonitors,
  type RecordedAttempt,
  recordOutcomes,
  saveHealth,
  saveParking,
} from '../store/delivery-log.ts';
import { type ClaimedDelivery, type DeliveryPartition, lockPartitions, releasePartitions } from '../store/delivery-partitions.ts';
import { dropPending } from '../store/delivery-queue.ts';
import { DELIVER } from './publish.ts';

/** A request that has ended, and its leased partition. */
export interface FinishedAttempt extends DeliveryPartition {
  readonly delivery: ClaimedDelivery;
  readonly outcome: AttemptOutcome;
}

/** Stores the outcomes of requests. Concurrent ones share a transaction. */
export interface AttemptRecorder {
  /**
   * Resolves when the outcome is committed: the attempt, the time of the next one, the health of the endpoint, and the release of the
   * partition. Stores nothing when another process took over the partition: its outcome counts.
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
 * Group commit: while one transaction runs, the outcomes that arrive are collected for the next one. A partition that another transaction
 * has locked, such as one that adds changes, waits in a transaction of its own, so that it does not delay the others. So does each outcome
 * of a transaction that failed: one that cannot be stored does not hold up the others.
 */
export function createAttemptRecorder(deps: RecorderDeps): AttemptRecorder {
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
      if (!isWriting) setImmediate(writeBatches); // outcomes of this turn of the event loop share a transaction
      isWriting = true;
      if (!(await written.promise).has(attempt)) await recordAttempts(deps, [attempt], { wait: true });
    },
  };
}

/** Returns the attempts that were recorded: those whose partitions could be locked. */
const recordAttempts = (
  { db, now, random }: RecorderDeps,
  attempts: readonly FinishedAttempt[],
  locking: { readonly wait: boolean },
): Promise<readonly FinishedAttempt[]> =>
  db.transaction(async (trx) => {
    const failed = attempts.filter(({ outcome }) => outcome.error !== null).map(({ monitorId }) => monitorId);
    const monitors = await lockMonitors(trx, [...new Set(attempts.map(({ monitorId }) => monitorId))], failed);
    const locked = new Set(await lockPartitions(trx, attempts, locking));
    const held = attempts.filter((attempt) => locked.has(attempt)); // in the order in which they ended
    if (held.length === 0) return held;
    const at = now();
    const endpoints = new Map(monitors.map((monitor) => [monitor.id, new EndpointState(monitor)]));
    const recorded = held.map(({ monitorId, delivery, outcome }): RecordedAttempt => {
      const isLast = endpoints.get(monitorId)?.add(outcome, at) ?? true; // without a state, the attempt succeeded and changes nothing
      return { delivery, outcome, dueAt: isLast ? null : nextAttemptAt(delivery, outcome, { now: at, random: random() }) };
    });
    for (const { dueAt } of recorded) if (dueAt !== null) await enqueue(trx, DELIVER, {}, { runAt: dueAt });
    await recordOutcomes(trx, recorded, at);
    for (const endpoint of endpoints.values()) await endpoint.save(trx, at);
    const released = held.map(({ outcome, ...partition }) => ({ ...partition, quick: outcome.latencyMs < SLOW_MS }));
    await releasePartitions(trx, released, at);
    return held;
  });

/** The state of an endpoint while the outcomes of its attempts are added. */
class EndpointState {
  readonly #before: LockedMonitor;
  #health: LockedMonitor['health'];
  #timeouts: number;
  /** Epoch ms; null where it is not parked, undefined where that stays as it was. */
  #parkedUntil: number | null | undefined;
  /** True when one of the outcomes disabled it. */
  #wasDisabled = false;

  constructor(before: LockedMonitor) {
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
    return this.#before.cancelled || isDisabled;
  }

  /** An endpoint that timed out is parked, all its partitions, until it answers in time, however it answers. */
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
