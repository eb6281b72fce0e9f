import { inBatches } from '../../../db/batches.ts';
import type { ServiceDeps } from '../../../service.ts';
import { purgeScreenings } from '../store/screenings.ts';
import type { ScreeningSettings } from './settings.ts';

/** Number of screenings that one DELETE removes. Each has up to 100,000 rows. */
const BATCH_SIZE = 1;

export interface RetentionDeps extends Pick<ServiceDeps, 'db' | 'now'> {
  readonly settings: Pick<ScreeningSettings, 'keptMs'>;
}

/** Deletes screenings that finished longer ago than the setting allows. */
export async function purgeOldScreenings({ db, now, settings }: RetentionDeps): Promise<void> {
  await inBatches((batch) => purgeScreenings(db, batch, now()), now() - settings.keptMs, BATCH_SIZE);
}
