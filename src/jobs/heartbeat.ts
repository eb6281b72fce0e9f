import type { Knex } from 'knex';
import { SECOND_MS } from '../domain/time.ts';

/** Interval between heartbeats. */
export const BEAT_MS = 10 * SECOND_MS;
/** A worker without a heartbeat for this long counts as dead: killed, frozen, or disconnected. */
const SILENCE = '30 seconds';

/**
 * Writes a worker's heartbeat and unlocks the jobs of dead workers (graphile-worker alone would wait four hours).
 * A worker that was only frozen may run a job that another worker took over: leases fence what such a job writes.
 */
export async function beat(db: Knex, worker: string): Promise<void> {
  await db.raw('INSERT INTO job_workers (id, seen_at) VALUES (?, now()) ON CONFLICT (id) DO UPDATE SET seen_at = now()', [worker]);
  await db.raw(`
    SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by)) FROM graphile_worker._private_jobs
    WHERE locked_at < now() - interval '${SILENCE}'
      AND NOT EXISTS (SELECT FROM job_workers WHERE id = locked_by AND seen_at >= now() - interval '${SILENCE}')
    HAVING count(*) > 0`);
  await db.raw(`DELETE FROM job_workers WHERE seen_at < now() - interval '1 hour'`);
}

/** Removes a worker that has stopped and released its jobs. */
export async function leave(db: Knex, worker: string): Promise<void> {
  await db('job_workers').where({ id: worker }).delete();
}
