import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { inClientTransaction } from '../../../db/client-transaction.ts';

/** Maximum wait for a table that a statement reads. It is shorter than the time after which Postgres looks for deadlocks. */
const LOCK_WAIT_MS = 100;
const LOCK_PAUSE_MS = 500;
const LOCK_NOT_AVAILABLE = '55P03';
/** Number of attempts, which take ten minutes. */
export const MAX_TRIES = 1_200;

/**
 * Runs `work`, which locks out the readers of tables, in one transaction. While a statement reads such a table, the attempt to lock it is
 * short and is repeated, because other readers would queue behind one that waits.
 * @param work must be repeatable
 * @returns its result; null if a statement still reads a table after all attempts
 */
export async function withShortLocks<T>(
  client: pg.ClientBase,
  work: () => Promise<T>,
  maxTries = MAX_TRIES,
): Promise<{ readonly value: T } | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await inClientTransaction(client, async () => {
        await client.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
        return { value: await work() };
      });
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      if (tries >= maxTries) return null;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}
