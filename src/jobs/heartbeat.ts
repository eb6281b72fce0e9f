import type { Knex } from 'knex';
import { SECOND_MS } from '../domain/time.ts';

/** Interval between heartbeats. */
export const BEAT_MS = 10 * SECOND_MS;
/** A worker without a heartbeat for this long counts as dead: killed, frozen, or disconnected. */
const SILENCE = '30 seconds';

/**
 * Writes a worker's heartbeat and unlocks the jobs of dead workers (graphile-worker alone would wait four hours).
 * Failed jobs run again after 15 minutes at most, however often they failed.
 * A worker that was only frozen may run a job that another worker took over: leases fence what such a job writes.
 */
export async function beat(db: Knex, worker: string): Promise<void> {
  await db.raw('INSERT INTO job_workers (id, seen_at) VALUES (?, now()) ON CONFLICT (id) DO UPDATE SET seen_at = now()', [worker]);
  await db.raw(`
    SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by)) FROM graphile_worker._private_jobs
    WHERE locked_at < now() - interval '${SILENCE}'
      AND NOT EXISTS (SELECT FROM job_workers WHERE id = locked_by AND seen_at >= now() - interval '${SILENCE}')
    HAVING count(*) > 0`);
  await reviveFailedJobs(db);
  await db.raw(`DELETE FROM job_workers WHERE seen_at < now() - interval '1 hour'`);
}

/** Longest wait after a failed attempt. graphile-worker alone waits up to 6 h. */
const LONGEST_BACKOFF = '15 minutes';
/** Number of attempts that a revived job counts from, so that it waits the longest back-off after its next failure. */
const ATTEMPTS_KEPT = 10;

/**
 * Makes jobs that used up their attempts run again, since graphile-worker never would, and caps the back-off of the others. Jobs that have
 * not failed keep their time.
 */
async function reviveFailedJobs(db: Knex): Promise<void> {
  await db.raw(
    `SELECT graphile_worker.reschedule_jobs(array_agg(id), run_at => now(), attempts => ?) FROM graphile_worker.jobs
     WHERE locked_at IS NULL AND attempts >= max_attempts HAVING count(*) > 0`,
    [ATTEMPTS_KEPT],
  );
  await db.raw(`
    SELECT graphile_worker.reschedule_jobs(array_agg(id), run_at => now() + interval '${LONGEST_BACKOFF}') FROM graphile_worker.jobs
    WHERE locked_at IS NULL AND attempts > 0 AND last_error IS NOT NULL AND run_at > now() + interval '${LONGEST_BACKOFF}'
    HAVING count(*) > 0`);
}

/** Unlocks the jobs that a stopped worker still holds, so that others run them at once, and removes the worker. */
export async function leave(db: Knex, worker: string): Promise<void> {
  await db.raw('SELECT graphile_worker.force_unlock_workers(?)', [[worker]]);
  await db('job_workers').where({ id: worker }).delete();
}
