import type { Knex } from 'knex';
import type { LimitedAction } from '../../domain/plan.ts';
import { enqueue } from '../../jobs/job.ts';
import { receiverHost } from '../domain/delivery.ts';
import { addDeliveries, markPartitionsDue, type NewDelivery, type QueuedDelivery, requeueDeliveries } from '../store/delivery-queue.ts';

/** Rate limit of deliveries that a caller requests, because each is a request to a host of the caller's choice. */
export const RESEND: LimitedAction = { name: 'webhook_resend', rate: { perMinute: 30, burst: 30 } };

/** Name of the job that sends due deliveries. */
export const DELIVER = 'monitor.deliver';

/** Enqueues the job that sends due deliveries. */
export const enqueueSending = (db: Knex): Promise<void> => enqueue(db, DELIVER, {}, { key: DELIVER });

/** Adds deliveries, which are sent once the transaction commits. @returns their ids, in order */
export async function publishDeliveries(trx: Knex, deliveries: readonly NewDelivery[], now: number): Promise<readonly string[]> {
  const ids = await addDeliveries(trx, deliveries, now);
  if (deliveries.some(({ send }) => send)) await enqueueSending(trx);
  return ids;
}

/**
 * Sends settled deliveries to a URL again, in the given order and under the same event ids. Deliveries that are pending or under way stay
 * unchanged.
 * @returns number of deliveries put into the queue
 */
export async function sendAgain(trx: Knex, webhookUrl: string, deliveries: readonly QueuedDelivery[], now: number): Promise<number> {
  const host = receiverHost(webhookUrl);
  await markPartitionsDue(
    trx,
    deliveries.map(({ endpointId, partition }) => ({ endpointId, partition, host })),
    now,
  );
  const ids = deliveries.map(({ id }) => id);
  const count = await requeueDeliveries(trx, ids, host, now);
  await enqueueSending(trx);
  return count;
}
