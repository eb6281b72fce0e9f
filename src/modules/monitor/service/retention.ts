import { HOUR_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import type { ServiceDeps } from '../../../service.ts';
import { type PurgeBatch, purgeCancelledMonitors, purgeChanges, purgeDeliveries, purgeUnwatchedCompanies } from '../store/retention.ts';
import type { MonitorSettings } from './settings.ts';

/** Name of the job that purges old rows. */
export const PURGE = 'monitor.purge';

/** Deletes rows older than the retention settings allow. */
export interface Retention {
  /** Purges old rows, and enqueues itself again in an hour. @throws when the queue itself fails */
  purge(): Promise<void>;
}

/** Rows per transaction: a writer of the log waits for one batch at most. */
const BATCH_SIZE = 1_000;

export interface RetentionDeps extends Pick<ServiceDeps, 'db' | 'now' | 'log'> {
  readonly settings: Pick<MonitorSettings, 'changesKeptMs' | 'deliveriesKeptMs'>;
}

export function createRetention({ db, now, log, settings }: RetentionDeps): Retention {
  async function purgeAll(): Promise<void> {
    await inBatches((batch) => purgeDeliveries(db, batch), now() - settings.deliveriesKeptMs);
    await inBatches((batch) => purgeChanges(db, batch), now() - settings.changesKeptMs);
    const cancelledBefore = now() - Math.max(settings.deliveriesKeptMs, settings.changesKeptMs);
    await inBatches((batch) => purgeCancelledMonitors(db, batch), cancelledBefore);
    await purgeUnwatchedCompanies(db);
  }

  return {
    async purge() {
      await purgeAll().catch((error: Error) => log.error({ err: error }, 'old rows could not be purged'));
      await enqueue(db, PURGE, {}, { key: PURGE, runAt: now() + HOUR_MS });
    },
  };
}

async function inBatches(purge: (batch: PurgeBatch) => Promise<number>, before: number): Promise<void> {
  let purged = BATCH_SIZE;
  while (purged === BATCH_SIZE) purged = await purge({ before, limit: BATCH_SIZE });
}
