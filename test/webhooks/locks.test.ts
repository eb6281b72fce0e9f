import { expect, it, onTestFinished } from 'vitest';
import { fromPublicId } from '../../src/domain/public-ids.ts';
import { webhookService } from '../../src/webhooks/service/webhooks.ts';
import { PATH, patch, publishChanges, subscribe, world } from '../modules/monitor/api-requests.ts';
import { testApp } from '../support/app.ts';
import { receiver } from '../support/receiver.ts';

const ROUNDS = 30;

it('changes of a monitor and failed attempts at its endpoint do not lock each other out', async () => {
  const app = await testApp({ env: { QUIPU_OUTBOUND_ALLOW: '127.0.0.1/32' }, listsTried: false });
  onTestFinished(() => app.close());
  const { url, received } = await receiver((response) => response.writeHead(500).end());
  const { subscription_id: id } = await subscribe(app, { webhook_url: url });
  const { sender } = app.open(webhookService);
  const statuses: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await publishChanges(app, world.slice(0, 2));
    await sender.sendDue();
    const answers = await Promise.all([
      patch(app, `${PATH}/${id}`, { webhook_url: `${url}?${round}` }),
      app.post(`${PATH}/${id}/enable`, {}),
      app.post(`${PATH}/${id}/rotate`, {}),
      patch(app, `${PATH}/${id}`, { retry_policy: round % 2 === 0 ? 'standard' : 'none' }),
    ]);
    statuses.push(...answers.map(({ status }) => status));
  }
  await expect.poll(() => app.db('deliveries').where({ state: 'sending' }).pluck('id')).toEqual([]);
  expect(statuses).toEqual(Array(4 * ROUNDS).fill(200));
  expect(received.length).toBeGreaterThan(ROUNDS);
  expect(app.lines.filter((line) => JSON.stringify(line).includes('deadlock'))).toEqual([]);
});

it('a change of a monitor is made although it waits in a deadlock with a process of the release before', async () => {
  const app = await testApp({ env: { QUIPU_OUTBOUND_ALLOW: '127.0.0.1/32' }, listsTried: false });
  onTestFinished(() => app.close());
  const { db } = app;
  const { url } = await receiver();
  const { subscription_id: id } = await subscribe(app, { webhook_url: url });
  const where = { id: fromPublicId('monitor', id) ?? '' };
  const other = await db.transaction();
  await other('monitors').where(where).forNoKeyUpdate().first('id'); // the release before locks the monitor first
  const change = patch(app, `${PATH}/${id}`, { webhook_url: `${url}?new` });
  const waiting = () => db('pg_stat_activity').where({ wait_event_type: 'Lock' }).whereRaw('datname = current_database()').pluck('pid');
  await expect.poll(waiting).toHaveLength(1);
  await other('monitors').where(where).update({ failures: 1 }); // a trigger writes the endpoint, which the change has locked
  await other.commit();
  expect(await change).toMatchObject({ status: 200, body: { webhook_url: `${url}?new` } });
  expect(await db('monitors').where(where).first()).toMatchObject({ webhook_url: `${url}?new`, failures: 1 });
  const deadlocks = async () => (await db('pg_stat_database').whereRaw('datname = current_database()').first('deadlocks')).deadlocks;
  await expect.poll(deadlocks).toBe('1');
});
