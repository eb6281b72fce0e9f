import { SECOND_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import { defineService, type ServiceDeps } from '../../../service.ts';
import { healthAfter, retryDelayMs } from '../domain/delivery.ts';
import {
  abandonLane,
  claimLanes,
  endAttempt,
  holdLane,
  type Lane,
  lockMonitor,
  type Outcome,
  releaseLane,
  saveHealth,
  type Taken,
  takeNext,
} from '../store/delivery-partitions.ts';
import { dropWaiting } from '../store/delivery-queue.ts';
import { DELIVER } from './publish.ts';
import { redeliver, replay, sendTest } from './redelivery.ts';
import { monitorSettings, readMonitorSettings } from './settings.ts';
import { checkTarget, newSecret, sendWebhook } from './webhook-request.ts';

/** Deliveries, from the lanes in which they wait to their receivers. */
export interface Webhooks {
  /** Begins to send what is due, as far as there are places; does not wait for the requests. */
  pump(): Promise<void>;
  /** The same, and sees to it that it happens again soon: what a killed process left is found by looking. */
  pumpAndLookAgain(): Promise<void>;
  /** Refuses an address that is no place for webhooks. @throws AppError INVALID_INPUT */
  checkTarget(url: URL): Promise<void>;
  /** A new secret for signing: as its owner sees it, once, and as it is kept. */
  newSecret(): { readonly secret: string; readonly sealed: Buffer };
  /** Sends an event that tells of no change. Ids are UUIDs. @returns the delivery's @throws AppError SUBSCRIPTION_NOT_FOUND, INVALID_INPUT */
  test(keyId: string, monitorId: string): Promise<string>;
  /** Sends a settled delivery again, under the same event id. @throws AppError DELIVERY_NOT_FOUND, INVALID_INPUT */
  redeliver(keyId: string, deliveryId: string): Promise<void>;
  /**
   * Sends again what happened to a monitor after a position of the log, in its order.
   * @returns how many events @throws AppError SUBSCRIPTION_NOT_FOUND, CURSOR_TOO_OLD, INVALID_INPUT
   */
  replay(keyId: string, monitorId: string, afterPosition: number): Promise<number>;
  /** Takes nothing more, waits a little for what is under way, and breaks off the rest, which is sent again later. */
  close(): Promise<void>;
}

/** Requests at once in one process. */
const PLACES = 64;
/** Of these, for receivers that were slow the last time: however many of them hang, the others find a place. */
const SLOW_PLACES = 32;
const LOOK_MS = 15 * SECOND_MS;
const GOODBYE_MS = 5 * SECOND_MS;

function createWebhooks(deps: ServiceDeps): Webhooks {
  const { db, now, log, sealer } = deps;
  const { plainHttp: publicHttp } = readMonitorSettings(deps);
  const abort = new AbortController();
  const underWay = new Map<Promise<void>, Lane>();
  let closed = false;

  async function work(lane: Lane): Promise<void> {
    const taken = await takeNext(db, lane, now());
    if (!taken) return closeLane(deps, lane);
    const outcome = await sendWebhook(deps, taken, { publicHttp, signal: abort.signal });
    await (outcome ? recordAttempt(deps, { lane, taken, outcome }) : abandonLane(db, lane));
  }

  /** A lane whose work fails stays leased for a while, so that a fault of ours does not run in circles. */
  function start(lane: Lane): void {
    const working = work(lane)
      .catch((error: Error) => log.error({ err: error, host: lane.host }, 'a webhook could not be handled; its lane rests'))
      .finally(() => underWay.delete(working))
      .then(() => pump())
      .catch((error: Error) => log.error({ err: error }, 'no further webhooks could be taken'));
    underWay.set(working, lane);
  }

  const pump = oneAtATime(async () => {
    const limit = PLACES - underWay.size;
    if (closed || limit === 0) return;
    const slowLimit = SLOW_PLACES - [...underWay.values()].filter(({ slow }) => slow).length;
    for (const lane of await claimLanes(db, { limit, slowLimit }, now())) start(lane);
  });

  return {
    pump,
    async pumpAndLookAgain() {
      await enqueue(db, DELIVER, {}, { key: DELIVER, runAt: now() + LOOK_MS });
      await pump();
    },
    checkTarget: (url) => checkTarget(deps.webhooks, url, publicHttp),
    test: (keyId, id) => sendTest(deps, { keyId, id }),
    redeliver: (keyId, id) => redeliver(deps, { keyId, id }),
    replay: (keyId, id, after) => replay(deps, { keyId, id }, after),
    newSecret() {
      const secret = newSecret();
      return { secret, sealed: sealer.seal(secret) };
    },
    async close() {
      closed = true;
      await pump().catch(() => undefined); // lanes that are just being claimed are worked off, too
      const timer = setTimeout(() => abort.abort(), GOODBYE_MS);
      await Promise.all(underWay.keys());
      clearTimeout(timer);
    },
  };
}

/** One run at a time: those who call during a run share the next one. */
function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;
  return () => {
    waiting ??= last.then(() => {
      waiting = null;
      return run();
    });
    last = waiting.catch(() => undefined);
    return waiting;
  };
}

export const webhooksService = defineService<Webhooks>({
  name: 'webhooks',
  module: 'monitor',
  settings: monitorSettings,
  create: createWebhooks,
});

/** A receiver that takes this long is slow. */
const SLOW_MS = 2 * SECOND_MS;

/**
 * Writes down what came of a request, with all that follows from it: the next attempt, the health of the receiver, the lane given back.
 * Nothing is written where another process took over meanwhile: what it finds counts.
 */
export async function recordAttempt(
  { db, now, random }: Pick<ServiceDeps, 'db' | 'now' | 'random'>,
  { lane, taken, outcome }: { readonly lane: Lane; readonly taken: Taken; readonly outcome: Outcome },
): Promise<void> {
  await db.transaction(async (trx) => {
    const { health: before, cancelled } = await lockMonitor(trx, taken.monitorId);
    if (!(await holdLane(trx, lane))) return;
    const at = now();
    const health = healthAfter(before, outcome.error === null, at);
    const ended = cancelled || health.disabledAt !== null;
    const dueAt = ended ? null : nextAttemptAt(taken, outcome, { now: at, random: random() });
    if (health.failures !== before.failures) await saveHealth(trx, taken.monitorId, health);
    if (dueAt !== null) await enqueue(trx, DELIVER, {}, { runAt: dueAt });
    await endAttempt(trx, taken, { outcome, dueAt, now: at });
    if (health.disabledAt !== null && before.disabledAt === null) await dropWaiting(trx, taken.monitorId, at);
    await releaseLane(trx, { ...lane, slow: outcome.latencyMs >= SLOW_MS }, at);
  });
}

/** Epoch ms; null for the last attempt there is. */
function nextAttemptAt(
  { retryPolicy, attempts }: Taken,
  { error, status, retryAfterMs }: Outcome,
  { now, random }: { readonly now: number; readonly random: number },
): number | null {
  if (error === null || retryPolicy === 'none') return null;
  const delay = retryDelayMs({ attempts, status, retryAfterMs }, random);
  return delay === null ? null : now + delay;
}

/** Gives back a lane in which nothing is due. */
export async function closeLane({ db, now }: Pick<ServiceDeps, 'db' | 'now'>, lane: Lane): Promise<void> {
  await db.transaction(async (trx) => {
    if (await holdLane(trx, lane)) await releaseLane(trx, lane, now());
  });
}
