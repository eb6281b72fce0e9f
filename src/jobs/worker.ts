import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, run } from 'graphile-worker';
import type { Knex } from 'knex';
import type { Logger as Pino } from 'pino';
import { directUrlOf, openPool } from '../db/knex.ts';
import { SECOND_MS } from '../domain/time.ts';
import { ensureRecurring, type Job, type JobDeps, toTask } from './job.ts';

/*
 * Runs background jobs with graphile-worker, and adds what the package lacks. It reports a queue that cannot be read, and restarts it
 * after a failure. A heartbeat every 10 s lets other workers take over the jobs of a worker that is silent for 30 s; the package alone
 * would wait four hours. The heartbeat also makes jobs that used up their attempts run again, and limits the back-off of failed jobs to 15
 * minutes. It costs five short statements. A stop ends within 6 s even if the database does not respond.
 */

export interface WorkerOptions extends Omit<JobDeps, 'signal'> {
  readonly jobs: readonly Job[];
}

export interface Worker {
  /** Returns false from a failure of the queue until it can be read again. No job is taken meanwhile. */
  runs(): boolean;
  /** Takes no more jobs, waits 4 s at most for the running ones, and releases those that still run. It takes 6 s at most. */
  stop(): Promise<void>;
}

/**
 * Maximum number of concurrent jobs. Checks, list checks, screenings and mails use at most eight (their queues), which leaves two for short
 * jobs.
 */
const CONCURRENCY = 10;
/** Poll interval for scheduled jobs. New jobs are announced by NOTIFY. */
const POLL_MS = SECOND_MS;
const RESTART_MS = SECOND_MS;
/** Maximum wait for running jobs once the queue ends. After it they count as failed and are retried. */
const JOBS_MS = 4 * SECOND_MS;
/** Maximum wait for the queue itself. The package can wait forever, if two jobs' results were refused, or for a lost connection. */
const QUEUE_MS = 5 * SECOND_MS;
/** Maximum duration of `stop`, for a database that does not respond. */
const STOP_MS = 6 * SECOND_MS;
/**
 * Options that batch results. Without batches, a job whose result cannot be written because the connection broke is an unhandled
 * rejection, which ends the process.
 */
const IN_BATCHES = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/** A reader of the package, by its events. There are CONCURRENCY readers. */
interface Reader {
  readonly worker: { readonly workerId: string };
}

/** Starts a worker on the shared queue. If the queue fails, the worker restarts it. */
export function startWorker(options: WorkerOptions): Worker {
  const stopping = new AbortController();
  const health = new QueueHealth(options.log);
  const work = (async () => {
    while (!stopping.signal.aborted) {
      await runQueue(options, health, stopping.signal).catch((error: unknown) => health.fail(error));
      await sleep(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    runs: () => health.runs(),
    async stop() {
      stopping.abort();
      await Promise.race([work, sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}

/** Knows whether the queue can be read. The package logs nothing when jobs cannot be read, and tries again for ever. */
class QueueHealth {
  readonly #log: Pino;
  #failed = false;
  /**
   * Readers of the queue that began to read since it last failed. A read that began before gives no information about the queue after it.
   */
  readonly #readers = new Set<string>();

  constructor(log: Pino) {
    this.#log = log;
  }

  runs(): boolean {
    return !this.#failed;
  }

  fail(error: unknown): void {
    if (!this.#failed) this.#log.error({ err: error }, 'the job queue failed');
    this.#failed = true;
    this.#readers.clear();
  }

  /** Follows the readers of a queue by its events. */
  watch(events: EventEmitter): void {
    const recover = ({ worker: { workerId } }: Reader) => this.#recover(workerId);
    events.on('worker:getJob:error', ({ error }: { error: unknown }) => this.fail(error));
    events.on('worker:getJob:start', ({ worker: { workerId } }: Reader) => void this.#readers.add(workerId));
    events.on('worker:getJob:empty', recover).on('job:start', recover);
  }

  #recover(reader: string): void {
    if (!this.#failed || !this.#readers.has(reader)) return;
    this.#log.info('the job queue runs again');
    this.#failed = false;
  }
}

/** Runs the queue until `stopping` or its failure. Then ends its jobs, its connections and its locks within `QUEUE_MS`. */
async function runQueue({ jobs, ...deps }: WorkerOptions, health: QueueHealth, stopping: AbortSignal): Promise<void> {
  const { db, log } = deps;
  const ending = new AbortController();
  const { signal } = ending;
  const cut = abortAfter(signal, JOBS_MS, 'the worker stops');
  const abandoned = abortAfter(signal, QUEUE_MS, 'the queue did not end in time');
  const events = new EventEmitter();
  let worker = '';
  events.once('pool:create', ({ workerPool }: { workerPool: { id: string } }) => {
    worker = workerPool.id;
  });
  events.once('pool:gracefulShutdown', () => ending.abort()); // on `stop`, and when the queue fails
  health.watch(events);
  const connections = openPool(directUrlOf(db), { max: CONCURRENCY, log });
  let end = () => ending.abort();
  const onStop = () => end();
  stopping.addEventListener('abort', onStop);
  const over = new AbortController();
  let beating = Promise.resolve();
  try {
    for (const job of jobs.filter(({ recurring }) => recurring)) await ensureRecurring(db, job);
    const runner = await run({
      pgPool: connections.pool,
      taskList: Object.fromEntries(jobs.map((job) => [job.name, toTask(job, { ...deps, signal }, cut)])),
      parsedCronItems: [],
      concurrency: CONCURRENCY,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      logger: loggerTo(log),
      events,
      preset: { worker: IN_BATCHES },
    });
    end = () => void runner.stop().catch(() => undefined);
    if (stopping.aborted) end();
    beating = beatUntil(over.signal, worker, { db, log });
    await Promise.race([runner.promise, rejected(abandoned)]);
  } finally {
    stopping.removeEventListener('abort', onStop);
    over.abort();
    connections.close();
    await beating;
  }
}

/** Writes heartbeats of a worker until `over`, then gives back its jobs. */
async function beatUntil(over: AbortSignal, worker: string, { db, log }: Pick<WorkerOptions, 'db' | 'log'>): Promise<void> {
  while (!over.aborted) {
    await beat(db, worker).catch((error: Error) => log.warn({ why: error.message }, 'the heartbeat could not be written'));
    await sleep(BEAT_MS, undefined, { signal: over, ref: false }).catch(() => undefined);
  }
  await leave(db, worker).catch((error: Error) => log.warn({ why: error.message }, 'the jobs of a worker could not be given back'));
}

/** Returns a signal that aborts `ms` after `signal` does. It keeps no process alive. */
function abortAfter(signal: AbortSignal, ms: number, reason: string): AbortSignal {
  const later = new AbortController();
  signal.addEventListener('abort', () => setTimeout(() => later.abort(new Error(reason)), ms).unref());
  return later.signal;
}

/** Rejects with the reason of `signal` when it aborts. */
const rejected = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'debug' } as const;

/** Forwards the queue's messages to our log, without the payloads. */
const loggerTo = (log: Pino): Logger => new Logger(() => (level, message) => log[LEVELS[level]]({ component: 'jobs' }, message));

/** Interval between heartbeats. */
const BEAT_MS = 10 * SECOND_MS;
/** Time without a heartbeat after which a worker counts as dead: killed, frozen, or disconnected. */
const SILENCE = '30 seconds';

/**
 * Writes a worker's heartbeat and unlocks the jobs of dead workers (graphile-worker alone would wait four hours). Failed jobs run again
 * after 15 minutes at most, however often they failed. A worker that was only frozen may run a job that another worker took over; leases
 * reject the writes of such a job.
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

/** Maximum wait after a failed attempt. graphile-worker alone waits up to 6 h. */
const LONGEST_BACKOFF = '15 minutes';
/** Number of attempts that a revived job counts from, so that it waits the maximum back-off after its next failure. */
const ATTEMPTS_KEPT = 10;

/**
 * Makes jobs that used up their attempts run again, because graphile-worker would not, and caps the back-off of the others. Jobs that have
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

/** Unlocks the jobs that a stopped worker still has, so that others run them at once, and removes the worker. */
export async function leave(db: Knex, worker: string): Promise<void> {
  await db.raw('SELECT graphile_worker.force_unlock_workers(?)', [[worker]]);
  await db('job_workers').where({ id: worker }).delete();
}
