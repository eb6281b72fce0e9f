import { createDb, directUrlOf } from '../db/knex.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, monthOf } from '../domain/time.ts';
import { monthBefore } from '../domain/usage.ts';
import { type Job, recurringJob } from '../jobs/job.ts';
import type { Idempotency } from './idempotency-keys.ts';
import { repairCounter, wrongCounters } from './store/usage-counters.ts';
import { repairDays } from './store/usage-days.ts';
import { purgeUsage } from './store/usage-records.ts';

export interface MeteringJobsDeps {
  readonly idempotency: Pick<Idempotency, 'purge'>;
  /** Time for which usage records are kept, in ms. */
  readonly usageKeptMs: number;
}

export const meteringJobs = ({ idempotency, usageKeptMs }: MeteringJobsDeps): readonly Job[] => [
  usageReconcileJob,
  usagePurgeJob(usageKeptMs),
  idempotencyPurgeJob(idempotency),
];

/** Name of the job. It is not `usage.reconcile`, because that job of earlier releases counts rows without their quantity. */
const RECONCILE = 'usage.verify';
/** Statement timeout of the reconciliation, in ms. Adding up the usage records of two months takes longer than the timeout of requests. */
const RECONCILE_STATEMENT_MS = 5 * MINUTE_MS;

/**
 * Job that compares, every hour, the counters of this month and the last one with their usage records, and the sums by day with the counters,
 * and corrects those that differ. Days that are wrong by as much in both directions are not found. One statement writes all of them, so a different counter comes from a manual change or a bug, and is logged as an error. Sums by
 * day also differ after an upgrade, because the release before does not write them.
 */
export const usageReconcileJob = recurringJob(RECONCILE, HOUR_MS, async ({ db, now, log }) => {
  const own = createDb(directUrlOf(db), { log, poolMax: 1, statementTimeoutMs: RECONCILE_STATEMENT_MS, isBackground: true });
  try {
    const month = monthOf(now());
    for (const wrong of await wrongCounters(own, [monthBefore(month), month])) {
      log.error({ job: RECONCILE, ...wrong }, 'a usage counter differed from its usage records and was corrected');
      await repairCounter(own, wrong);
    }
    for (const one of [monthBefore(month), month]) await repairDays(own, one);
  } finally {
    await own.destroy();
  }
});

/**
 * Job that deletes, every day, the usage records of months that ended before the retention period. It keeps the counters of these months.
 * @param keptMs retention period, in ms
 */
export const usagePurgeJob = (keptMs: number): Job =>
  recurringJob('usage.purge', DAY_MS, ({ db, now }) => purgeUsage(db, monthOf(now() - keptMs)));

/** Job that deletes, every hour, Idempotency-Keys that are older than 24 hours, with their responses. */
const idempotencyPurgeJob = (idempotency: MeteringJobsDeps['idempotency']): Job =>
  recurringJob('idempotency.purge', HOUR_MS, () => idempotency.purge());
