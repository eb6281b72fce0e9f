import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { changeInTime } from '../../../db/change.ts';
import type { Owned } from '../../../db/paging.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import { monitorMessages } from '../../../messages/monitors.ts';
import type { ServiceDeps } from '../../../service.ts';
import { publishDeliveries, sendAgain } from '../../../webhooks/service/messages.ts';
import { addDeliveries, findQueuedDelivery } from '../../../webhooks/store/delivery-queue.ts';
import { readStreamHead } from '../store/change-log.ts';
import { MONITOR } from '../store/monitors.ts';
import { deliveredChangesAfter, findResendTarget, type ResendTarget } from '../store/recipients.ts';
import { isSent, newDelivery } from './publish.ts';

/** Deliveries that a customer or an operator requests. Ids are UUIDs. */
export interface Redelivery {
  /** Sends a test event without changed fields. @returns id of the delivery @throws AppError MONITOR_NOT_FOUND, INVALID_INPUT */
  sendTest(monitor: Owned): Promise<string>;
  /**
   * Sends a settled delivery again, under the same event id. A delivery that is pending or under way stays unchanged.
   * @throws AppError DELIVERY_NOT_FOUND, INVALID_INPUT
   */
  redeliver(delivery: Owned): Promise<void>;
  /**
   * Sends all changes of a monitor after a position of the change log again, in order.
   * @returns number of deliveries put into the queue @throws AppError MONITOR_NOT_FOUND, CURSOR_TOO_OLD, INVALID_INPUT
   */
  replay(monitor: Owned, after: number): Promise<number>;
}

export const createRedelivery = ({ db, now }: Pick<ServiceDeps, 'db' | 'now'>): Redelivery => ({
  async sendTest(monitor) {
    const target = await requireTarget(db, monitor);
    const event = { id: randomUUID(), company: target.company, identifier: target.identifier, fields: [], detectedAt: now() };
    return changeInTime(db, async (trx) => {
      const [id = ''] = await publishDeliveries(trx, [{ ...newDelivery(target, event), reportedId: null }], now());
      return id;
    });
  },

  async redeliver({ keyId, id }) {
    const delivery = await findQueuedDelivery(db, MONITOR, { keyId, id });
    if (!delivery) throw new AppError('DELIVERY_NOT_FOUND', monitorMessages.noDelivery());
    const { webhookUrl } = await requireTarget(db, { keyId, id: delivery.endpointId });
    await changeInTime(db, (trx) => sendAgain(trx, webhookUrl, [delivery], now()));
  },

  async replay(monitor, after) {
    const target = await requireTarget(db, monitor);
    const all = await deliveredChangesAfter(db, monitor.id, after);
    const changes = all.filter((change) => isSent(target, change));
    const { keptFrom } = await readStreamHead(db); // read last: it reflects changes that were deleted after the query above
    if (after < keptFrom - 1) throw new AppError('CURSOR_TOO_OLD', monitorMessages.changesDeleted());
    const missing = changes.filter(({ delivery }) => delivery === null).map((change) => ({ ...newDelivery(target, change), send: false }));
    if (missing.length > 0) await changeInTime(db, (trx) => addDeliveries(trx, missing, now()));
    const complete = missing.length > 0 ? await deliveredChangesAfter(db, monitor.id, after) : changes;
    const deliveries = complete.flatMap(({ delivery }) => delivery ?? []);
    return changeInTime(db, (trx) => sendAgain(trx, target.webhookUrl, deliveries, now()));
  },
});

/** @throws AppError MONITOR_NOT_FOUND; INVALID_INPUT for a monitor that is cancelled, disabled or without a webhook */
async function requireTarget(db: Knex, monitor: Owned): Promise<ResendTarget & { readonly webhookUrl: string }> {
  const target = await findResendTarget(db, monitor);
  if (!target) throw new AppError('MONITOR_NOT_FOUND', monitorMessages.notOfKey());
  if (target.cancelled) throw invalidInput('id', monitorMessages.cancelled());
  if (target.disabled) throw invalidInput('id', monitorMessages.disabled());
  const { webhookUrl } = target;
  if (webhookUrl === null) throw invalidInput('id', monitorMessages.noWebhook());
  return { ...target, webhookUrl };
}
