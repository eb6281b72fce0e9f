import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../domain/time.ts';
import { databaseUnavailable } from './unavailable.ts';

/** Number of times that `retryWhileUnavailable` tries. With the pauses and statements of a second, this takes up to ten seconds. */
const ATTEMPTS = 6;

/**
 * Runs work at the start of a process, and runs it again if the database is overloaded or has no connection left, as it may be while many
 * processes start together. The pauses are random, so that these processes do not return together.
 * @throws the failure of the last attempt, or any other failure at once
 */
export async function retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || databaseUnavailable(error) === null) throw error;
      await sleep(SECOND_MS * (0.25 + Math.random() * 0.5));
    }
  }
}
