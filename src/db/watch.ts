import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { AppError } from '../domain/errors.ts';
import { poolBeside } from './knex.ts';
import { unavailable } from './unavailable.ts';

/** Pause between two probes. */
const PROBE_PAUSE_MS = 500;
/** Timeout in ms of a probe, after which the database counts as unavailable. Including the pause, this is known within 2 s. */
const PROBE_MS = 1_200;

/** Monitors whether a database responds. */
export interface DatabaseWatch<T> {
  /** Returns the result of the last probe; null while the database is unavailable, and before the first probe. */
  last(): T | null;
  /**
   * Runs `work` while the database responds. Work that is running when the database becomes unavailable continues, but its result is
   * ignored.
   * @throws AppError SERVICE_UNAVAILABLE at once while the database is unavailable, and when it becomes unavailable before the work has
   * ended
   */
  whileAvailable<R>(work: () => Promise<R>): Promise<R>;
  stop(): Promise<void>;
}

/** Probes a database about once a second. Until the first probe has ended, it counts as available. `patience` multiplies PROBE_MS. */
export function watchDatabase<T>(watched: Knex, probe: (db: Knex) => Promise<T>, patience = 1): DatabaseWatch<T> {
  const db = poolBeside(watched, { poolMax: 1, statementTimeoutMs: PROBE_MS * patience });
  const waiting = new Set<(error: AppError) => void>();
  const stopping = new AbortController();
  let last: T | null = null;
  let failure: AppError | null = null;

  async function probeOnce(): Promise<void> {
    try {
      last = await withTimeLimit(probe(db), PROBE_MS * patience);
      failure = null;
    } catch (error) {
      last = null;
      failure = unavailable(error);
      for (const refuse of waiting) refuse(failure);
    }
  }

  const probing = (async () => {
    while (!stopping.signal.aborted) {
      await probeOnce();
      await sleep(PROBE_PAUSE_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  })();

  return {
    last: () => last,
    whileAvailable(work) {
      if (failure) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        waiting.add(reject);
        work()
          .then(resolve, reject)
          .then(() => waiting.delete(reject));
      });
    },
    async stop() {
      stopping.abort();
      await probing;
      await db.destroy();
    },
  };
}

/** Rejects when `work` takes longer. A response that has arrived while the event loop was busy counts as in time. */
async function withTimeLimit<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => setImmediate(() => reject(new Error(`no answer within ${ms} ms`))), ms);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
