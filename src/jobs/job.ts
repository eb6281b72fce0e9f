import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Open } from '../service.ts';

/** What a job works with. */
export interface JobDeps {
  readonly open: Open;
  readonly log: Logger;
  /** Aborts when the process must stop. */
  readonly signal: AbortSignal;
}

/** Background work, kept in the queue until it is done. */
export interface Job<P = unknown> {
  /** E.g. `monitor.tick`. */
  readonly name: string;
  readonly payload: z.ZodType<P>;
  /** True for one that is in the queue at all times: it enqueues itself again, under its own name as key. */
  readonly recurring?: boolean;
  run(payload: P, deps: JobDeps): Promise<void>;
}

/** A job whose `run` is checked against its payload. */
export const defineJob = <P>(job: Job<P>): Job => job as unknown as Job;

export interface EnqueueOptions {
  /** Epoch ms; now where left out. */
  readonly runAt?: number;
  /** One job with this key waits at most: another takes its place. */
  readonly key?: string;
  /** Jobs of one line run one after another. Few names: each is a row that every look for work visits. */
  readonly queueName?: string;
}

/** Puts a job into the queue; in a transaction it is there when that commits, or not at all. */
export async function enqueue(db: Knex, job: string, payload: object, { runAt, key, queueName }: EnqueueOptions = {}): Promise<void> {
  await db.raw('SELECT graphile_worker.add_job(?, ?::json, queue_name => ?, run_at => ?::timestamptz, job_key => ?)', [
    job,
    JSON.stringify(payload),
    queueName ?? null,
    runAt === undefined ? null : new Date(runAt),
    key ?? null,
  ]);
}

/** Puts a recurring job into the queue unless it is there, waiting or running. */
export async function ensureRecurring(db: Knex, job: Job): Promise<void> {
  await db.raw("SELECT graphile_worker.add_job(?, '{}'::json, job_key => ?, job_key_mode => 'unsafe_dedupe')", [job.name, job.name]);
}
