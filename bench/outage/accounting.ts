import { setTimeout as delay } from 'node:timers/promises';
import { query } from '../imports/postgres.ts';
import type { Sent } from './steady.ts';

/** Comparison of the answers that a client has received with the usage that is recorded in Postgres. */
export interface Accounts {
  /** Answers with status 200. */
  readonly answers: number;
  /** Answers with status 200 without a usage row. */
  readonly uncounted: number;
  /** Answers with status 200 that are counted more than once. */
  readonly countedTwice: number;
  /** Usage rows of requests that got no answer with status 200. */
  readonly countedUnanswered: number;
}

/** A table of usage that has the column `request_id`. */
export type UsageTable = 'usage_events' | 'hand_written.usage';

/** Times in ms: the maximum for usage to arrive in Postgres, and one in which usage without an answer may arrive after the rest. */
const PATIENCE = { missingMs: 60_000, settleMs: 2_000 };
const POLL_MS = 500;

/** Returns the ids of the requests whose usage is recorded so far. */
export const recordedIds = async (url: string, table: UsageTable): Promise<ReadonlySet<string>> =>
  new Set((await countsOf(url, table)).keys());

/**
 * Waits until the usage of all answers is recorded, for a minute at most, and compares.
 * @param earlier requests before these, whose usage is left out
 */
export async function accountsOf(
  url: string,
  table: UsageTable,
  sent: readonly Sent[],
  earlier: ReadonlySet<string>,
  { missingMs, settleMs } = PATIENCE,
): Promise<Accounts> {
  const answers = sent.filter(({ status }) => status === 200);
  const ids = new Set(answers.flatMap(({ id }) => id ?? []));
  const deadline = performance.now() + missingMs;
  const isMissing = async () => {
    const counts = await countsOf(url, table);
    return [...ids].some((id) => !counts.has(id));
  };
  while ((await isMissing()) && performance.now() < deadline) await delay(POLL_MS);
  await delay(settleMs);
  const counts = await countsOf(url, table);
  const ofAnswers = [...ids].map((id) => counts.get(id) ?? 0);
  return {
    answers: answers.length,
    uncounted: answers.length - ofAnswers.filter((count) => count > 0).length,
    countedTwice: ofAnswers.filter((count) => count > 1).length,
    countedUnanswered: [...counts.keys()].filter((id) => !ids.has(id) && !earlier.has(id)).length,
  };
}

/** Request id → its recorded quantity. */
async function countsOf(url: string, table: UsageTable): Promise<ReadonlyMap<string, number>> {
  const rows = await query(url, `SELECT request_id::text AS id, sum(quantity)::int AS quantity FROM ${table} GROUP BY request_id`);
  return new Map(rows.map(({ id, quantity }) => [String(id), Number(quantity)]));
}
