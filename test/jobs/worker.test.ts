import { randomUUID } from 'node:crypto';
import { getEventListeners } from 'node:events';
import type { JobHelpers } from 'graphile-worker';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineJob, enqueue, type Job, recurringJob, toTask } from '../../src/jobs/job.ts';
import { beat, startWorker } from '../../src/jobs/worker.ts';
import type { Open } from '../../src/service.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';

const open: Open = () => {
  throw new Error('these jobs open nothing');
};

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());

/** A worker for one test. */
function work(jobs: readonly Job[]) {
  const { log, lines } = memoryLog();
  const worker = startWorker({ db: db.knex, now: Date.now, jobs, open, log });
  onTestFinished(() => worker.stop());
  return { worker, lines };
}

/** A job that tells when it has run. */
function telling(name = `test.${randomUUID()}`) {
  const runs: unknown[] = [];
  const waiting: (() => void)[] = [];
  const job = defineJob({
    name,
    payload: z.object({ n: z.int() }),
    async run(payload) {
      runs.push(payload.n);
      for (const resolve of waiting.splice(0)) resolve();
    },
  });
  const ran = async (times: number) => {
    while (runs.length < times) await new Promise<void>((resolve) => waiting.push(resolve));
    return runs;
  };
  return { job, runs, ran };
}

const jobsNamed = async (name: string) =>
  (await db.knex.raw('SELECT * FROM graphile_worker.jobs WHERE task_identifier = ?', [name])).rows as { locked_by: string | null }[];

describe('the job queue', () => {
  it('runs what was enqueued, with its payload', async () => {
    const { job, ran } = telling();
    work([job]);
    await enqueue(db.knex, job.name, { n: 7 });
    expect(await ran(1)).toEqual([7]);
  });

  it('has a job when its transaction commits, and none when it rolls back', async () => {
    const { job } = telling();
    await db.knex
      .transaction(async (trx) => {
        await enqueue(trx, job.name, { n: 1 });
        throw new Error('no');
      })
      .catch(() => undefined);
    expect(await jobsNamed(job.name)).toEqual([]);
    await db.knex.transaction((trx) => enqueue(trx, job.name, { n: 1 }));
    expect(await jobsNamed(job.name)).toHaveLength(1);
  });

  it('keeps one job a key', async () => {
    const { job, ran, runs } = telling();
    await enqueue(db.knex, job.name, { n: 1 }, { key: job.name });
    await enqueue(db.knex, job.name, { n: 2 }, { key: job.name });
    work([job]);
    await ran(1);
    expect(runs).toEqual([2]);
  });

  it('keeps a recurring job in the queue, and stops although it does not end', async () => {
    const { job } = telling();
    const recurring = { ...job, recurring: true, payload: z.object({}), run: async () => new Promise<void>(() => undefined) };
    const { worker } = work([recurring]);
    await expect.poll(() => jobsNamed(job.name)).toHaveLength(1);
    await worker.stop();
    expect(await jobsNamed(job.name)).toMatchObject([{ locked_by: null }]);
  });

  it('says that it does not run while the queue fails, and runs jobs again afterwards', async () => {
    const { job, ran } = telling();
    const { worker, lines } = work([job]);
    expect(worker.runs()).toBe(true);
    await db.knex.raw('ALTER TABLE graphile_worker._private_jobs RENAME COLUMN attempts TO away');
    await expect.poll(() => worker.runs(), { timeout: 10_000 }).toBe(false);
    await db.knex.raw('ALTER TABLE graphile_worker._private_jobs RENAME COLUMN away TO attempts');
    await enqueue(db.knex, job.name, { n: 3 });
    expect(await ran(1)).toEqual([3]);
    await expect.poll(() => worker.runs(), { timeout: 10_000 }).toBe(true);
    expect(lines.map(({ msg }) => msg).filter((msg) => msg === 'the job queue failed')).toHaveLength(1);
  });

  it('tries a failed job again', async () => {
    let tries = 0;
    const name = `test.${randomUUID()}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    work([
      defineJob({
        name,
        payload: z.object({}),
        async run() {
          tries += 1;
          if (tries === 1) throw new Error('the first try fails');
          resolve();
        },
      }),
    ]);
    await enqueue(db.knex, name, {});
    await promise;
    expect(tries).toBe(2);
  });

  it('MO-03 gives the jobs of a silent worker back, and leaves those of a living one', async () => {
    const [dead, living] = [telling(), telling()];
    await enqueue(db.knex, dead.job.name, { n: 1 });
    await enqueue(db.knex, living.job.name, { n: 1 });
    const lock = (name: string, worker: string) =>
      db.knex.raw(
        `UPDATE graphile_worker._private_jobs SET locked_by = ?, locked_at = now() - interval '31 seconds'
         WHERE task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = ?)`,
        [worker, name],
      );
    await lock(dead.job.name, 'dead');
    await lock(living.job.name, 'living');
    await db.knex('job_workers').insert({ id: 'dead', seen_at: db.knex.raw("now() - interval '31 seconds'") });
    await beat(db.knex, 'living');
    expect((await jobsNamed(dead.job.name))[0]?.locked_by).toBeNull();
    expect((await jobsNamed(living.job.name))[0]?.locked_by).toBe('living');
  });

  it('DB-02 goes on when its connections are cut', async () => {
    const { job, ran } = telling();
    work([job]);
    await enqueue(db.knex, job.name, { n: 1 });
    await ran(1);
    await db.knex.raw(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await expect.poll(() => enqueue(db.knex, job.name, { n: 2 }).then(() => 'enqueued'), { timeout: 10_000 }).toBe('enqueued');
    expect(await ran(2)).toEqual([1, 2]);
  });

  it('DB-02 restarts a queue that does not end after two results were refused, and runs their jobs again', async () => {
    const pending = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const runs: number[] = [];
    const job = defineJob({
      name: `test.${randomUUID()}`,
      payload: z.object({ n: z.int() }),
      async run({ n }) {
        runs.push(n);
        await pending[n]?.promise;
      },
    });
    const { worker, lines } = work([job]);
    await enqueue(db.knex, job.name, { n: 0 });
    await enqueue(db.knex, job.name, { n: 1 });
    await expect.poll(() => runs).toHaveLength(2);
    await db.knex.raw(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE DELETE ON graphile_worker._private_jobs FOR EACH ROW EXECUTE FUNCTION refuse()`);
    const refused = (id: number) =>
      expect.poll(() => lines.filter(({ msg }) => String(msg).startsWith('Failed to complete jobs')), { timeout: 10_000 }).toHaveLength(id);
    pending[0]?.resolve();
    await refused(1);
    pending[1]?.resolve();
    await refused(2);
    await db.knex.raw('DROP FUNCTION refuse CASCADE');
    await expect.poll(() => [...runs].sort(), { timeout: 15_000 }).toEqual([0, 0, 1, 1]);
    const started = performance.now();
    await worker.stop();
    expect(performance.now() - started).toBeLessThan(7_000);
    expect(await jobsNamed(job.name)).toEqual([]);
  }, 30_000);
});

it('keeps no listener of a job that has ended, also of one that failed', async () => {
  const { signal } = new AbortController();
  const { log } = memoryLog();
  const ends = defineJob({ name: 'ends', payload: z.object({}), run: async () => undefined });
  const fails = defineJob({ name: 'fails', payload: z.object({}), run: () => Promise.reject(new Error('down')) });
  const tasks = [ends, fails].map((job) => toTask(job, { db: db.knex, now: Date.now, open, log, signal }, signal));
  for (let i = 0; i < 100; i += 1) await Promise.allSettled(tasks.map((task) => task({}, {} as JobHelpers)));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

describe('a recurring job', () => {
  const NOW = Date.UTC(2040, 0, 1);
  const deps = () => ({ db: db.knex, now: () => NOW, open, log: memoryLog().log, signal: new AbortController().signal });

  it('enqueues its next run after each run', async () => {
    const job = recurringJob(`test.${randomUUID()}`, 3_600_000, async () => undefined);
    await job.run({}, deps());
    await job.run({}, deps());
    expect(await jobsNamed(job.name)).toMatchObject([{ key: job.name, run_at: new Date(NOW + 3_600_000) }]);
  });

  it('rejects if its run fails, so that the queue repeats it, and enqueues nothing', async () => {
    const job = recurringJob(`test.${randomUUID()}`, 3_600_000, () => Promise.reject(new Error('down')));
    await expect(job.run({}, deps())).rejects.toThrow('down');
    expect(await jobsNamed(job.name)).toEqual([]);
  });
});

describe('a job that keeps failing', () => {
  const state = async (name: string) =>
    (await db.knex.raw('SELECT attempts, max_attempts, run_at FROM graphile_worker.jobs WHERE task_identifier = ?', [name])).rows[0] as {
      attempts: number;
      max_attempts: number;
      run_at: Date;
    };

  it('runs again after the maximum number of attempts', async () => {
    const { job, ran } = telling();
    await enqueue(db.knex, job.name, { n: 1 });
    await db.knex.raw(
      'UPDATE graphile_worker._private_jobs SET attempts = max_attempts, last_error = ? WHERE id IN (SELECT id FROM graphile_worker.jobs WHERE task_identifier = ?)',
      ['down', job.name],
    );
    work([job]);
    expect(await ran(1)).toEqual([1]);
  });

  it('waits 15 minutes at most before its next attempt', async () => {
    const { job } = telling();
    await enqueue(db.knex, job.name, { n: 1 });
    await db.knex.raw(
      "UPDATE graphile_worker._private_jobs SET attempts = 10, last_error = 'down', run_at = now() + interval '6 hours' WHERE id IN (SELECT id FROM graphile_worker.jobs WHERE task_identifier = ?)",
      [job.name],
    );
    await beat(db.knex, randomUUID());
    const { run_at: runAt, attempts } = await state(job.name);
    expect(runAt.getTime() - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    expect(attempts).toBe(10);
  });

  it('keeps the time of a job that has not failed', async () => {
    const { job } = telling();
    const runAt = Date.now() + 3_600_000;
    await enqueue(db.knex, job.name, { n: 1 }, { runAt });
    await beat(db.knex, randomUUID());
    expect((await state(job.name)).run_at.getTime()).toBe(runAt);
  });
});
