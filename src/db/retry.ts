import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../domain/time.ts';
import { databaseUnavailable } from './unavailable.ts';

/** Time for which `retryWhileUnavailable` begins again. Twice the time that eight processes on two busy cores take to start together. */
const PATIENCE_MS = 60 * SECOND_MS;

/**
 * Runs work at the start of a process, and runs it again if the database is overloaded or has no connection left, as it may be while many
 * processes start together. The work must be repeatable. The pauses are random, so that these processes do not return together.
 * @throws the last failure after a minute, or any other failure at once
 */
export async function retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() - startedAt > PATIENCE_MS || databaseUnavailable(error) === null) throw error;
      await sleep(SECOND_MS * (0.25 + Math.random() * 0.5));
    }
  }
}
