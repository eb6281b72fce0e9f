import { SECOND_MS } from '../../domain/time.ts';
import { enqueue } from '../../jobs/job.ts';
import { SharedRun } from '../../scheduling/shared-run.ts';
import type { ServiceDeps } from '../../service.ts';
import { withdrawAttempt } from '../store/delivery-log.ts';
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
import { createAttemptRecorder } from './attempt-recorder.ts';
import { DELIVER } from './messages.ts';
import type { WebhookSettings } from './settings.ts';
import { sendWebhook } from './webhook-request.ts';

/*
 * Sends webhooks at least once, and one at a time per subject. A process claims due partitions, each with a slot of its host, sends one
 * delivery of each, records the outcome and releases the partition (`store/delivery-partitions.ts`). A process has 64 concurrent requests,
 * of which at most 32 go to partitions that are not known to be quick. Claiming costs two statements for all free slots, and more for at
 * most a fifth of the time, when the slots of the hosts of the first due partitions are in use. Outcomes are committed in groups. If a
 * process dies, its leases expire after 30 s, and another process sends the deliveries again under the same ids.
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
/**
 * Maximum share of time for claims that read all due partitions. Their cost grows with the number of these: 10,000 endpoints of one host
 * cost Postgres about 0.1 s. Other claims read the first ones, which are sufficient unless the slots of their hosts are in use.
 */
const COMPLETE_SHARE = 0.2;

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
  const complete = createTimeShare(COMPLETE_SHARE, () => void sendDue().catch(logFailedClaim));
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

  const logFailedClaim = (error: Error): void => log.error({ err: error }, 'due partitions could not be claimed');

  /** After an error of our own, the partition stays leased until the lease expires, which prevents a tight loop. */
  function start(partition: DeliveryPartition, claiming: ReturnType<typeof claimDeliveries>): void {
    const working = sendNext(partition, claiming)
      .catch((error: Error) =>
        log.error({ err: error, host: partition.host }, 'a delivery failed by an internal error; retried after the lease'),
      )
      .finally(() => underWay.delete(working))
      .then(() => sendDue())
      .catch(logFailedClaim);
    underWay.set(working, partition);
  }

  const sending = new SharedRun(async () => {
    const limit = SLOTS - underWay.size;
    if (closed || limit === 0 || now() < pausedUntil) return;
    const slowLimit = SLOW_SLOTS - [...underWay.values()].filter(({ quick }) => !quick).length;
    const { leased, isCut } = await complete.run((allowed) => claimPartitions(db, { limit, slowLimit, firstOnly: !allowed }, now()));
    if (isCut) complete.runLater();
    if (leased.length === 0) return;
    const claiming = claimDeliveries(db, leased, now());
    for (const partition of leased) start(partition, claiming);
  });
  const sendDue = () => sending.start();

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
      complete.stop();
      const timer = setTimeout(() => abort.abort(), CLOSE_TIMEOUT_MS);
      await Promise.all(underWay.keys());
      clearTimeout(timer);
    },
  };
}

/** Limits the share of time that expensive runs of a task take. Other runs of the task are cheap. */
interface TimeShare {
  /** Runs the task. The time of a run that fails counts, too. @param task gets true if it may be expensive */
  run<T>(task: (allowed: boolean) => Promise<T>): Promise<T>;
  /** Calls `onAllowed` as soon as the task may be expensive again. */
  runLater(): void;
  stop(): void;
}

/** @param share maximum share of time, above 0 and below 1 */
function createTimeShare(share: number, onAllowed: () => void): TimeShare {
  let allowedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    async run(task) {
      const startedAt = performance.now();
      if (startedAt < allowedAt) return task(false);
      try {
        return await task(true);
      } finally {
        const endedAt = performance.now();
        allowedAt = endedAt + (endedAt - startedAt) * (1 / share - 1);
      }
    },
    runLater() {
      timer ??= setTimeout(() => {
        timer = undefined;
        onAllowed();
      }, allowedAt - performance.now());
    },
    stop() {
      clearTimeout(timer);
    },
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
