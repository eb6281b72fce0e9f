import { setTimeout as delay } from 'node:timers/promises';
import { query } from '../imports/postgres.ts';
import type { Sent } from './steady.ts';

/**
 * Comparison of the answers that a client has received with the usage that is recorded in Postgres. Quantities are compared, because the
 * service sums the usage of a second and does not record single requests.
 */
export interface Accounts {
  /** Answers with status 200. */
  readonly answers: number;
  /** Number by which the recorded usage is less than the answers. */
  readonly uncounted: number;
  /** Recorded usage beyond the answers that requests without an answer with status 200 can explain. */
  readonly countedUnanswered: number;
  /** Recorded usage beyond the number of requests: some were counted more than once. */
  readonly countedTwice: number;
}

/** A table of usage that has the column `quantity`. */
export type UsageTable = 'usage_events' | 'hand_written.usage';

/** Times in ms: the maximum for usage to arrive in Postgres, and one in which usage without an answer may arrive after the rest. */
const PATIENCE = { missingMs: 60_000, settleMs: 2_000 };
const POLL_MS = 500;

/** Reads the usage that is recorded so far. */
export async function recordedQuantity(url: string, table: UsageTable): Promise<number> {
  const [row] = await query(url, `SELECT coalesce(sum(quantity), 0)::int AS quantity FROM ${table}`);
  return Number(row?.quantity);
}

/**
 * Waits until the usage of all answers is recorded, for a minute at most, and compares.
 * @param earlier usage that was recorded before the requests
 */
export async function accountsOf(
  url: string,
  table: UsageTable,
  sent: readonly Sent[],
  earlier: number,
  { missingMs, settleMs } = PATIENCE,
): Promise<Accounts> {
  const answers = sent.filter(({ status }) => status === 200).length;
  const counted = async () => (await recordedQuantity(url, table)) - earlier;
  const deadline = performance.now() + missingMs;
  while ((await counted()) < answers && performance.now() < deadline) await delay(POLL_MS);
  await delay(settleMs);
  const surplus = (await counted()) - answers;
  const unanswered = sent.length - answers;
  return {
    answers,
    uncounted: Math.max(0, -surplus),
    countedUnanswered: Math.min(Math.max(0, surplus), unanswered),
    countedTwice: Math.max(0, surplus - unanswered),
  };
}
