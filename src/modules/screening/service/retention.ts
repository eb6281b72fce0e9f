import { HOUR_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import type { ServiceDeps } from '../../../service.ts';
import { purgeScreenings } from '../store/screenings.ts';
import type { ScreeningSettings } from './settings.ts';

/** Name of the job that deletes old screenings. */
export const PURGE = 'screening.purge';

/** Number of screenings that one DELETE removes. Each has up to 100,000 rows. */
const BATCH_SIZE = 1;

/** Deletes screenings that finished longer ago than the setting allows. */
export interface Retention {
  /** Deletes old screenings, and enqueues itself again in an hour. @throws when the queue itself fails */
  purge(): Promise<void>;
}

export interface RetentionDeps extends Pick<ServiceDeps, 'db' | 'now' | 'log'> {
  readonly settings: Pick<ScreeningSettings, 'keptMs'>;
}

export function createRetention({ db, now, log, settings }: RetentionDeps): Retention {
  async function purgeAll(): Promise<void> {
    const before = now() - settings.keptMs;
    for (let purged = BATCH_SIZE; purged === BATCH_SIZE; ) purged = await purgeScreenings(db, { before, limit: BATCH_SIZE }, now());
  }

  return {
    async purge() {
      await purgeAll().catch((error: Error) => log.error({ err: error }, 'old screenings could not be deleted'));
      await enqueue(db, PURGE, {}, { key: PURGE, runAt: now() + HOUR_MS });
    },
  };
}
