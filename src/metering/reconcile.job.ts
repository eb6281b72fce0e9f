import type { Knex } from 'knex';
import { z } from 'zod';
import { createDb, urlOf } from '../db/knex.ts';
import { type Clock, HOUR_MS, MINUTE_MS } from '../domain/time.ts';
import { monthBefore, monthOf } from '../domain/usage.ts';
import { defineJob, enqueue, type Job } from '../jobs/job.ts';
import { differences, repair } from './usage-store.ts';

export interface UpkeepDeps {
  readonly db: Knex;
  readonly now: Clock;
}

const NAME = 'usage.reconcile';
/** Counting the rows of two months is no request's work. */
const STATEMENT_MS = 5 * MINUTE_MS;

/**
 * Every hour: compares the counters of this month and the last with their rows, and sets right those that differ. They are written by
 * one statement, so a difference is somebody's hand or a fault of ours: an error in the log.
 */
export const reconcileJob = ({ db, now }: UpkeepDeps): Job =>
  defineJob({
    name: NAME,
    payload: z.object({}),
    standing: true,
    async run(_, { log }) {
      const ledger = createDb(urlOf(db), { log, poolMax: 1, statementTimeoutMs: STATEMENT_MS });
      try {
        const month = monthOf(now());
        for (const difference of await differences(ledger, [monthBefore(month), month])) {
          log.error({ job: NAME, ...difference }, 'a usage counter differed from its rows, and was set to them');
          await repair(ledger, difference);
        }
      } finally {
        await ledger.destroy();
      }
      await enqueue(db, NAME, {}, { key: NAME, runAt: now() + HOUR_MS });
    },
  });
