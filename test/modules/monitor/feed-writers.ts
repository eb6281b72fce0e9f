import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { createDb, directUrlOf } from '../../../src/db/knex.ts';
import { appendChanges } from '../../../src/modules/monitor/store/change-log.ts';
import { change } from './feed-support.ts';

const WRITERS = 8;

/**
 * Writes changes from eight connections at once. Some transactions wait before they write, some wait before they commit while they
 * lock the log, and some roll back.
 */
export async function writeAtOnce(db: Knex, count: number, random: () => number): Promise<void> {
  const pool = createDb(directUrlOf(db), { poolMax: WRITERS, statementTimeoutMs: 60_000 });
  let left = count;
  const write = async () => {
    while (left > 0) {
      const some = Math.min(left, 1 + Math.floor(random() * 20));
      const kind = random();
      left -= kind < 0.05 ? 0 : some;
      await pool
        .transaction(async (trx) => {
          if (kind > 0.7) await sleep(random() * 25);
          await appendChanges(
            trx,
            Array.from({ length: some }, () => change()),
          );
          if (kind > 0.95) await sleep(random() * 10);
          if (kind < 0.05) throw new Error('rolled back');
        })
        .catch((error: Error) => {
          if (error.message !== 'rolled back') throw error;
        });
    }
  };
  try {
    await Promise.all(Array.from({ length: WRITERS }, write));
  } finally {
    await pool.destroy();
  }
}
