import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Runner, run, type TaskList } from 'graphile-worker';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { urlOf } from '../db/knex.ts';
import { SECOND_MS } from '../domain/time.ts';
import type { Open } from '../service.ts';
import { BEAT_MS, beat, leave } from './heartbeat.ts';
import { ensureRecurring, type Job } from './job.ts';
import { loggerTo } from './logger.ts';
import { toTask } from './task.ts';

export interface WorkerOptions {
  readonly db: Knex;
  readonly jobs: readonly Job[];
  readonly open: Open;
  readonly log: Logger;
}

export interface Worker {
  /** Takes no more jobs and waits for the running ones, 4 s at most. */
  stop(): Promise<void>;
}

/** Concurrent jobs. Checks and list checks use at most nine, which leaves one for jobs that only enqueue others. */
const CONCURRENCY = 10;
/** Poll interval for scheduled jobs; new jobs are announced by NOTIFY. */
const POLL_MS = SECOND_MS;
const RESTART_MS = SECOND_MS;
/** Maximum wait for running jobs on stop: after it they count as failed and are retried by another process. */
const STOP_MS = 4 * SECOND_MS;
/** Without batches, a job whose result cannot be written because the connection broke is an unhandled rejection, which ends the process. */
const IN_BATCHES = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/** Starts a worker on the shared queue. If the queue fails, the worker restarts it. */
export function startWorker({ db, jobs, open, log }: WorkerOptions): Worker {
  const abort = new AbortController();
  const { signal } = abort;
  let runner: Runner | null = null;
  const cut = new AbortController();
  const tasks: TaskList = Object.fromEntries(jobs.map((job) => [job.name, toTask(job, { open, log, signal }, cut.signal)]));

  async function once(): Promise<void> {
    const events = new EventEmitter();
    const { promise: named, resolve } = Promise.withResolvers<string>();
    events.once('pool:create', ({ workerPool }: { workerPool: { id: string } }) => resolve(workerPool.id));
    for (const job of jobs.filter(({ recurring }) => recurring)) await ensureRecurring(db, job);
    runner = await run({
      connectionString: urlOf(db),
      maxPoolSize: CONCURRENCY,
      taskList: tasks,
      parsedCronItems: [],
      concurrency: CONCURRENCY,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      logger: loggerTo(log),
      events,
      preset: { worker: IN_BATCHES },
    });
    if (signal.aborted) await runner.stop();
    const over = new AbortController();
    const beating = heart(await named, over.signal);
    try {
      await runner.promise;
    } finally {
      over.abort();
      await beating;
    }
  }

  async function heart(worker: string, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await beat(db, worker).catch((error: Error) => log.warn({ why: error.message }, 'the heartbeat could not be written'));
      await sleep(BEAT_MS, undefined, { signal: over, ref: false }).catch(() => undefined);
    }
    await leave(db, worker).catch(() => undefined);
  }

  const work = (async () => {
    while (!signal.aborted) {
      await once().catch((error: Error) => log.error({ err: error }, 'the job queue stopped; starting it again'));
      if (!signal.aborted) await sleep(RESTART_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      abort.abort();
      setTimeout(() => cut.abort(new Error('the worker stops')), STOP_MS).unref();
      await runner?.stop().catch(() => undefined);
      await work;
    },
  };
}
