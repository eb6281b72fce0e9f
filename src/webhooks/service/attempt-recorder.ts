import type { Knex } from 'knex';
import { SECOND_MS } from '../../domain/time.ts';
import { enqueue } from '../../jobs/job.ts';
import type { ServiceDeps } from '../../service.ts';
import { healthAfterAttempt, parkingMs, retryDelayMs } from '../domain/delivery.ts';
import { type AttemptOutcome, type RecordedAttempt, recordOutcomes } from '../store/delivery-log.ts';
import { type ClaimedDelivery, type DeliveryPartition, lockPartitions, releasePartitions } from '../store/delivery-partitions.ts';
import { dropPending } from '../store/delivery-queue.ts';
import { type LockedEndpoint, lockEndpoints, saveHealth, saveParking } from '../store/endpoints.ts';
import { DELIVER } from './messages.ts';

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
  db.transaction(async (trx) => {
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
