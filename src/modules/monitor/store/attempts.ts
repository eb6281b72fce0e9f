import type { Knex } from 'knex';
import type { Health } from '../domain/endpoint.ts';
import type { Taken } from './lanes.ts';
import { drawPositions } from './log-head.ts';

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
