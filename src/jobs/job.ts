import type { Task } from 'graphile-worker';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Clock } from '../domain/time.ts';
import type { Open } from '../service.ts';

/** Arguments of a job. */
export interface JobDeps {
  readonly db: Knex;
  readonly now: Clock;
  readonly open: Open;
  readonly log: Logger;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
}

/** Background work, kept in the queue until it succeeds. */
export interface Job<P = unknown> {
  /** Name, e.g. `monitor.tick`. */
  readonly name: string;
  readonly payload: z.ZodType<P>;
  /** True for a recurring job, which is always in the queue: it enqueues itself again with its name as key. */
  readonly recurring?: boolean;
  run(payload: P, deps: JobDeps): Promise<void>;
}

/** Defines a job; the compiler checks `run` against the payload. */
export const defineJob = <P>(job: Job<P>): Job => job as unknown as Job;

export interface EnqueueOptions {
  /** Epoch ms; now if undefined. */
  readonly runAt?: number;
  /** Key of the job. At most one job with this key waits: a new one replaces it. */
  readonly key?: string;
  /**
   * Name of a queue. Jobs with the same queue name run one after another. There should be few names, because every poll reads one row per
   * name.
   */
  readonly queueName?: string;
}

/** Enqueues a job. In a transaction, the job exists once that commits, or not at all. */
export async function enqueue(db: Knex, job: string, payload: object, { runAt, key, queueName }: EnqueueOptions = {}): Promise<void> {
  await db.raw('SELECT graphile_worker.add_job(?, ?::json, queue_name => ?, run_at => ?::timestamptz, job_key => ?)', [
    job,
    JSON.stringify(payload),
    queueName ?? null,
    runAt === undefined ? null : new Date(runAt),
    key ?? null,
  ]);
}

/** Enqueues a recurring job unless it is already waiting or running. */
export async function ensureRecurring(db: Knex, job: Job): Promise<void> {
  await db.raw("SELECT graphile_worker.add_job(?, '{}'::json, job_key => ?, job_key_mode => 'unsafe_dedupe')", [job.name, job.name]);
}

/**
 * Defines a job that is always in the queue: each run enqueues the next one, `everyMs` after its end. If `run` rejects, the queue logs the
 * error and repeats the run after a pause, which grows with each failure to 15 minutes at most.
 */
export const recurringJob = (name: string, everyMs: number, run: (deps: JobDeps) => Promise<unknown>): Job =>
  defineJob({
    name,
    payload: z.object({}),
    recurring: true,
    async run(_, deps) {
      await run(deps);
      await enqueue(deps.db, name, {}, { key: name, runAt: deps.now() + everyMs });
    },
  });

/** Converts a job to a task of graphile-worker. @param cut aborts when running jobs must count as failed, although they have not ended */
export const toTask =
  (job: Job, deps: JobDeps, cut: AbortSignal): Task =>
  (payload) =>
    orAborted(job.run(job.payload.parse(payload), deps), cut);

/**
 * Settles like `work`, or rejects when `signal` aborts. The listener is then removed, because `Promise.race` with a promise that stays
 * pending would keep memory for every call.
 */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
