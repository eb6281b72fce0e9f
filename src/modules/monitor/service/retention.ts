import { HOUR_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import { defineService } from '../../../service.ts';
import { type Forget, forgetChanges, forgetDeliveries, forgetUnwatched } from '../store/retention.ts';
import { readMonitorSettings } from './settings.ts';

/** The job that forgets. */
export const PURGE = 'monitor.purge';

/** Keeps nothing longer than the settings say. */
export interface Retention {
  /** Forgets what is old and puts itself into the queue again. @throws when the queue itself fails */
  purge(): Promise<void>;
}

/** Rows that one transaction forgets: a writer of the log waits for no more. */
const AT_ONCE = 1_000;

export const retentionService = defineService<Retention>({
  name: 'retention',
  module: 'monitor',
  create(deps) {
    const { db, now, log } = deps;
    const { changesKeptMs, deliveriesKeptMs } = readMonitorSettings(deps);

    async function forget(): Promise<void> {
      await byBatches((batch) => forgetDeliveries(db, batch), now() - deliveriesKeptMs);
      await byBatches((batch) => forgetChanges(db, batch), now() - changesKeptMs);
      await forgetUnwatched(db);
    }

    return {
      async purge() {
        await forget().catch((error: Error) => log.error({ err: error }, 'what is old could not be forgotten'));
        await enqueue(db, PURGE, {}, { key: PURGE, runAt: now() + HOUR_MS });
      },
    };
  },
});

async function byBatches(forget: (batch: Forget) => Promise<number>, before: number): Promise<void> {
  let forgotten = AT_ONCE;
  while (forgotten === AT_ONCE) forgotten = await forget({ before, limit: AT_ONCE });
}
