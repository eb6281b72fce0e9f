import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { Webhook } from 'standardwebhooks';
import { expect, it, onTestFinished } from 'vitest';
import { receiverHost } from '../../src/webhooks/domain/delivery.ts';
import { publishDeliveries } from '../../src/webhooks/service/messages.ts';
import { attemptsOfDeliveries, pageDeliveries } from '../../src/webhooks/store/delivery-log.ts';
import { findQueuedDelivery } from '../../src/webhooks/store/delivery-queue.ts';
import { insertEndpoint } from '../../src/webhooks/store/endpoints.ts';
import { newSealedSecret } from '../modules/monitor/webhooks/sender.ts';
import { receiver, setup } from '../modules/monitor/webhooks/support.ts';

/** A publisher that no module has: alerts about the usage of a key. The engine gets no file for it, and no column. */
const ALERT = 'usage_alert';

/** Stores where the alerts of a key go. @returns id of the endpoint */
async function alertsTo(trx: Knex, keyId: string, url: string, secret: Buffer): Promise<string> {
  const id = randomUUID();
  await insertEndpoint(trx, { id, ownerKind: ALERT, keyId, url, secret, retryPolicy: 'standard' });
  return id;
}

/** Publishes an alert. @returns id of the delivery */
async function alert(trx: Knex, { id, keyId, url }: Record<'id' | 'keyId' | 'url', string>, used: number): Promise<string> {
  const message = { eventId: `alert_${used}`, body: JSON.stringify({ used }), subject: keyId, reportedId: null };
  const delivery = { ...message, endpointId: id, ownerKind: ALERT, keyId, host: receiverHost(url), send: true };
  const [added = ''] = await publishDeliveries(trx, [delivery], Date.now());
  return added;
}

it('a third publisher sends signed messages with retries and a log, in the transaction of its event', async () => {
  const { db, keyId, drain, redelivery } = await setup();
  const { url, received } = await receiver((_, response) => void response.writeHead(received.length === 1 ? 500 : 204).end());
  const { secret, sealed } = newSealedSecret();
  const id = await db.transaction((trx) => alertsTo(trx, keyId, url, sealed));
  await expect(
    db.transaction(async (trx) => {
      await alert(trx, { id, keyId, url }, 1);
      throw new Error('the event did not happen');
    }),
  ).rejects.toThrow('did not happen');
  const delivery = await db.transaction((trx) => alert(trx, { id, keyId, url }, 90));
  await drain();
  expect(await db('deliveries').first('state')).toEqual({ state: 'pending' });
  await db('deliveries').update({ due_at: new Date() });
  await db('endpoint_partitions').update({ due_at: new Date() });
  await drain();

  expect(received.map(({ body }) => body)).toEqual(['{"used":90}', '{"used":90}']);
  for (const { body, headers } of received)
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual({ used: 90 });
  const [page] = await pageDeliveries(db, [{ keyId, id, state: null, first: 10, after: null }]);
  expect(page?.items).toMatchObject([{ id: delivery, ownerKind: ALERT, eventId: 'alert_90', state: 'delivered' }]);
  const [attempts] = await attemptsOfDeliveries(db, [{ keyId, id: delivery }]);
  expect(attempts).toMatchObject([
    { number: 1, status: 500, error: 'http_status' },
    { number: 2, status: 204, error: null },
  ]);
  expect(await findQueuedDelivery(db, ALERT, { keyId, id: delivery })).not.toBeNull();
  await expect(redelivery.redeliver({ keyId, id: delivery })).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' }); // it is no monitor's
  onTestFinished(() => expect(received).toHaveLength(2));
});
