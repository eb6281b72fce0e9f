import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { BenchFailure } from '../harness/bench.ts';

const POLL_MS = 50;
/** Maximum wait in ms. It is longer than the lease of a partition, whose process may have been stopped. */
const LONGEST_MS = 60_000;

/** Numbers of deliveries, of all runs so far. */
export interface Attempts {
  readonly delivered: number;
  readonly failed: number;
  readonly waiting: number;
}

export async function attempts(client: pg.Client): Promise<Attempts> {
  const { rows } = await client.query(
    `SELECT count(*) FILTER (WHERE state = 'delivered')::int AS delivered, count(*) FILTER (WHERE state = 'failed')::int AS failed,
       count(*) FILTER (WHERE state IN ('pending', 'sending'))::int AS waiting FROM deliveries`,
  );
  return rows[0];
}

/**
 * Drops the waiting deliveries, so that they are not sent during the next run, and waits for the pending requests. @throws BenchFailure
 * when they do not end
 */
export async function dropWaiting(client: pg.Client): Promise<void> {
  const startedAt = performance.now();
  while ((await attempts(client)).waiting > 0) {
    if (performance.now() - startedAt > LONGEST_MS) throw new BenchFailure('requests did not end');
    await client.query(
      "UPDATE deliveries SET state = 'dropped', due_at = NULL WHERE id IN (SELECT id FROM deliveries WHERE state = 'pending' FOR UPDATE SKIP LOCKED)",
    );
    await delay(POLL_MS);
  }
}
