import type { Knex } from 'knex';
import type { Owned } from '../../../db/paging.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import type { ServiceDeps } from '../../../service.ts';
import { receiverHost } from '../../../webhooks/domain/delivery.ts';
import { publishDeliveries, sendAgain } from '../../../webhooks/service/messages.ts';
import { deliveriesReporting } from '../../../webhooks/store/delivery-log.ts';
import { findQueuedDelivery } from '../../../webhooks/store/delivery-queue.ts';
import { enableEndpoint, lockEndpoint } from '../../../webhooks/store/endpoints.ts';
import type { Screening } from '../domain/screening.ts';
import { toScreeningDone } from '../domain/webhook-payload.ts';
import { findScreenings, ownerOf, SCREENING } from '../store/screenings.ts';

/** Publishes the end of a screening, in the transaction that ends it. Without a webhook it does nothing. */
export async function publishEnd(trx: Knex, screening: Screening, now: number): Promise<void> {
  if (screening.webhookUrl === null) return;
  await publish(trx, { ...screening, webhookUrl: screening.webhookUrl }, now);
  await checkLater(trx, screening.id, now);
}

type WithWebhook = Screening & { readonly webhookUrl: string };

/** @returns id of the delivery */
async function publish(trx: Knex, screening: WithWebhook, now: number): Promise<string> {
  const { id, keyId, webhookUrl } = screening;
  const message = { eventId: toPublicId('screening', id), body: JSON.stringify(toScreeningDone(screening)), subject: id };
  const delivery = { ...message, endpointId: id, ownerKind: SCREENING, keyId, reportedId: id, host: receiverHost(webhookUrl), send: true };
  const [added = ''] = await publishDeliveries(trx, [delivery], now);
  return added;
}

/**
 * Sends the end of a screening again, under the same event id. A delivery that is pending or under way stays unchanged. Failures that
 * disabled the endpoint are cleared, because the customer requests the delivery.
 * @returns id of the delivery
 */
export async function sendEndAgain(trx: Knex, screening: WithWebhook, now: number): Promise<string> {
  await enableEndpoint(trx, screening);
  const delivery = await lastDelivery(trx, screening);
  if (!delivery) return publish(trx, screening, now); // the log of the delivery was deleted, or the previous release sent it
  const queued = await findQueuedDelivery(trx, SCREENING, { keyId: screening.keyId, id: delivery.id });
  if (queued) await sendAgain(trx, screening.webhookUrl, [queued], now);
  return delivery.id;
}

async function lastDelivery(db: Knex, { keyId, id }: Owned) {
  const [deliveries = []] = await deliveriesReporting(db, [{ keyId, id }]);
  return deliveries.at(-1) ?? null;
}

/**
 * The rest of this file is for processes of the previous release, which run during an upgrade and have a sender of their own for
 * screenings.
 */

/** Name of the job by which the previous release sends the webhook of a screening. */
export const NOTIFY = 'screening.notify';
/** Name of the job that checks a published message. The previous release does not know it. */
export const CHECK_PUBLISHED = 'screening.check_published';

const checkLater = (db: Knex, id: string, now: number): Promise<void> =>
  enqueue(db, CHECK_PUBLISHED, { id }, { key: `${CHECK_PUBLISHED}:${id}`, runAt: now + MINUTE_MS });

/** Completes the work of processes of the previous release. */
export interface Handover {
  /**
   * Publishes the end of a screening that such a process has finished, unless the process has sent the webhook. It also sends a dropped
   * delivery again, because such a process drops a delivery for which it finds no monitor.
   */
  complete(id: string): Promise<void>;
}

export const createHandover = ({ db, now }: Pick<ServiceDeps, 'db' | 'now'>): Handover => ({
  complete: (id) =>
    db.transaction(async (trx) => {
      const owner = await ownerOf(trx, id);
      if (!owner || !(await lockEndpoint(trx, owner))) return;
      const [screening] = await findScreenings(trx, [owner]);
      if (screening?.state !== 'done' || screening.webhookUrl === null || screening.webhookDeliveredAt !== null) return;
      const delivery = await lastDelivery(trx, owner);
      if (delivery && delivery.state !== 'dropped') return;
      await sendEndAgain(trx, { ...screening, webhookUrl: screening.webhookUrl }, now());
      await checkLater(trx, id, now());
    }),
});
