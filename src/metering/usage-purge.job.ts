import type { Knex } from 'knex';
import { z } from 'zod';
import { type Clock, DAY_MS } from '../domain/time.ts';
import { monthOf } from '../domain/usage.ts';
import { defineJob, enqueue, type Job } from '../jobs/job.ts';

const NAME = 'usage.purge';
/** Rows that one statement removes. */
const AT_ONCE = 5_000;

/** Every day: forgets the single uses of months that ended before they need be kept. Their totals stay. */
export const usagePurgeJob = ({ db, now, keptMs }: { readonly db: Knex; readonly now: Clock; readonly keptMs: number }): Job =>
  defineJob({
    name: NAME,
    payload: z.object({}),
    standing: true,
    async run() {
      const first = `${monthOf(now() - keptMs)}-01`;
      for (let purged = AT_ONCE; purged === AT_ONCE; ) {
        const { rowCount } = await db.raw(
          'DELETE FROM usage_events WHERE ctid = ANY(ARRAY(SELECT ctid FROM usage_events WHERE month < ?::date LIMIT ?))',
          [first, AT_ONCE],
        );
        purged = rowCount;
      }
      await enqueue(db, NAME, {}, { key: NAME, runAt: now() + DAY_MS });
    },
  });
