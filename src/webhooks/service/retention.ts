import { inBatches } from '../../db/batches.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { enqueue } from '../../jobs/job.ts';
import type { ServiceDeps } from '../../service.ts';
import { addMissingSlots, purgeDeliveries } from '../store/retention.ts';
import type { WebhookSettings } from './settings.ts';

/** Name of the job that deletes old deliveries. */
export const PURGE = 'webhooks.purge';

/** Deletes deliveries that are older than the setting allows, and repairs hosts without slots. */
export interface DeliveryRetention {
  /** Deletes and repairs once, and enqueues the job again for an hour later. @throws whatever the queue throws */
  purge(): Promise<void>;
}

export interface DeliveryRetentionDeps extends Pick<ServiceDeps, 'db' | 'now' | 'log'> {
  readonly settings: Pick<WebhookSettings, 'deliveriesKeptMs'>;
}

export const createDeliveryRetention = ({ db, now, log, settings }: DeliveryRetentionDeps): DeliveryRetention => ({
  async purge() {
    await inBatches((batch) => purgeDeliveries(db, batch), now() - settings.deliveriesKeptMs).catch((error: Error) =>
      log.error({ err: error }, 'old deliveries could not be deleted'),
    );
    await addMissingSlots(db, now()).catch((error: Error) => log.error({ err: error }, 'slots of hosts could not be added'));
    await enqueue(db, PURGE, {}, { key: PURGE, runAt: now() + HOUR_MS });
  },
});
