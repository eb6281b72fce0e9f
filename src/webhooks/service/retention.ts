import { inBatches } from '../../db/batches.ts';
import type { ServiceDeps } from '../../service.ts';
import { addMissingSlots, purgeDeliveries } from '../store/retention.ts';
import type { WebhookSettings } from './settings.ts';

export interface DeliveryRetentionDeps extends Pick<ServiceDeps, 'db' | 'now'> {
  readonly settings: Pick<WebhookSettings, 'deliveriesKeptMs'>;
}

/** Repairs hosts without slots, and deletes deliveries that are older than the setting allows. */
export async function purgeOldDeliveries({ db, now, settings }: DeliveryRetentionDeps): Promise<void> {
  await addMissingSlots(db, now()); // first, because hosts without slots get no deliveries while a deletion fails
  await inBatches((batch) => purgeDeliveries(db, batch), now() - settings.deliveriesKeptMs);
}
