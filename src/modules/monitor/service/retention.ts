import { type AccountData, OF_KEYS } from '../../../auth/accounts/erasure.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import type { ServiceDeps } from '../../../service.ts';
import {
  deleteUnusedSlots,
  type PurgeBatch,
  purgeCancelledMonitors,
  purgeChanges,
  purgeDeliveries,
  purgeUnwatchedCompanies,
} from '../store/retention.ts';
import type { MonitorSettings } from './settings.ts';

/** Name of the job that purges old rows. */
export const PURGE = 'monitor.purge';

/** Deletes rows older than the retention settings allow. */
export interface Retention {
  /** Purges old rows, and enqueues itself again in an hour. @throws when the queue itself fails */
  purge(): Promise<void>;
}

/** Number of rows deleted in one transaction. A writer of the log waits for one batch at most. */
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

/** Monitors, changes and deliveries of an account, for its export and erasure. */
export const monitorAccountData: AccountData = {
  tables: [
    { table: 'monitors', where: OF_KEYS, hidden: ['secret', 'old_secret'] },
    { table: 'monitor_companies', where: `monitor_id IN (SELECT id FROM monitors WHERE ${OF_KEYS})` },
    { table: 'changes', where: OF_KEYS },
    { table: 'deliveries', where: OF_KEYS, hidden: ['claim', 'revised_by'] },
    { table: 'delivery_attempts', where: `delivery_id IN (SELECT id FROM deliveries WHERE ${OF_KEYS})` },
  ],

  async erase(trx, { keyIds }) {
    const monitors: readonly string[] = await trx('monitors').whereIn('key_id', keyIds).pluck('id');
    const hosts: string[] = await trx('deliveries').whereIn('key_id', keyIds).distinct().pluck('host');
    for (const table of ['monitors', 'changes', 'deliveries']) await trx(table).whereIn('key_id', keyIds).delete();
    await trx('endpoint_partitions').whereIn('monitor_id', monitors).delete();
    await deleteUnusedSlots(trx, hosts);
    return monitors.map((id) => toPublicId('monitor', id));
  },

  afterErasure: purgeUnwatchedCompanies,
};
