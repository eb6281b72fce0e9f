import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { AppError } from '../domain/errors.ts';
import { poolBeside } from './knex.ts';
import { isRequest, RequestConnections } from './request-connections.ts';
import { unavailable } from './unavailable.ts';

/** Pause between two probes. */
const PROBE_PAUSE_MS = 500;
/** Timeout in ms of a probe, after which the database counts as unavailable. Including the pause, this is known within 2 s. */
const PROBE_MS = 1_200;

/** The state of a database by its probes. Times are ms; infinite if there was no such probe. */
export interface DatabaseState {
  readonly isAvailable: boolean;
  /** Time since the last probe that succeeded. */
  readonly respondedMsAgo: number;
  /** Time since the last probe that failed. */
  readonly failedMsAgo: number;
}

/** Monitors whether a database responds. */
export interface DatabaseWatch<T> {
  /** Returns the result of the last probe that succeeded; null before the first. */
  last(): T | null;
  /** Returns the state by the last probes. The database is unavailable before the first one. */
  state(): DatabaseState;
  /**
   * Runs `work` while the database responds. Work that is running when the database becomes unavailable continues, but its result is
   * ignored.
   * @throws AppError SERVICE_UNAVAILABLE at once while the database is unavailable, and when it becomes unavailable before the work has
   * ended
   */
  whileAvailable<R>(work: () => Promise<R>): Promise<R>;
  /**
   * Makes statements over another pool of the database fail with SERVICE_UNAVAILABLE while it is unavailable, also those that have begun.
   * Statements within `asRequest` over the watched pool need no guard: they fail in the same way.
   */
  guard(pool: Knex): void;
  stop(): Promise<void>;
}

/** Probes a database about once a second. Nothing is refused before a probe has failed. `patience` multiplies PROBE_MS. */
export function watchDatabase<T>(watched: Knex, probe: (db: Knex) => Promise<T>, patience = 1): DatabaseWatch<T> {
  const db = poolBeside(watched, { poolMax: 1, statementTimeoutMs: PROBE_MS * patience });
  const connections = new RequestConnections();
  connections.follow(watched, isRequest);
  const waiting = new Set<(error: AppError) => void>();
  const stopping = new AbortController();
  let last: T | null = null;
  let failure: AppError | null = null;
  let respondedAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;

  async function probeOnce(): Promise<void> {
    try {
      last = await withTimeLimit(probe(db), PROBE_MS * patience);
      respondedAt = performance.now();
      failure = null;
      connections.allow();
    } catch (error) {
      failedAt = performance.now();
      failure = unavailable(error);
      for (const refuse of waiting) refuse(failure);
      connections.refuse(failure);
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
    state() {
      const now = performance.now();
      return { isAvailable: last !== null && failure === null, respondedMsAgo: now - respondedAt, failedMsAgo: now - failedAt };
    },
    whileAvailable(work) {
      if (failure) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        waiting.add(reject);
        work()
          .then(resolve, reject)
          .then(() => waiting.delete(reject));
      });
    },
    guard: (pool) => connections.follow(pool, () => true),
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
