import type { Knex } from 'knex';
import { SECOND_MS } from '../domain/time.ts';

/** Between two signs of life. */
export const BEAT_MS = 10 * SECOND_MS;
/** Silent for longer, a worker is taken for dead: killed, frozen, or cut off. */
const SILENCE = '30 seconds';

/**
 * Says that a worker lives, and gives the jobs of those that do not back to the queue (which by itself would wait four hours).
 * A worker that was only frozen finds its jobs done by another: what they write is fenced by leases of their own.
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

/** Says that a worker is gone, its jobs given back. */
export async function leave(db: Knex, worker: string): Promise<void> {
  await db('job_workers').where({ id: worker }).delete();
}
