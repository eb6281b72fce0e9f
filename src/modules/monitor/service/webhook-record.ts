import { SECOND_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import type { ServiceDeps } from '../../../service.ts';
import { healthAfter } from '../domain/endpoint.ts';
import { retryDelayMs } from '../domain/retries.ts';
import { endAttempt, lockMonitor, type Outcome, saveHealth } from '../store/attempts.ts';
import { holdLane, type Lane, releaseLane, type Taken } from '../store/lanes.ts';
import { dropWaiting } from '../store/requeue.ts';
import { DELIVER } from './publish.ts';

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
