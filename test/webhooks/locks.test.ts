import { expect, it, onTestFinished } from 'vitest';
import { fromPublicId } from '../../src/domain/public-ids.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import { purgeScreenings } from '../../src/modules/screening/store/screenings.ts';
import { webhookAccountData } from '../../src/webhooks/service/account-data.ts';
import { webhookService } from '../../src/webhooks/service/webhooks.ts';
import { lockEndpoints } from '../../src/webhooks/store/endpoints.ts';
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
  const failures: unknown[] = [];
  app.db.on('query-error', ({ code }: { readonly code: unknown }) => failures.push(code));
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
  expect(failures).not.toContain('40P01'); // a deadlock, after which a transaction is repeated
});

it('a change of a monitor is made although it waits in a deadlock with a process of the release before', async () => {
  const app = await testApp({ env: { QUIPU_OUTBOUND_ALLOW: '127.0.0.1/32' }, listsTried: false });
  onTestFinished(() => app.close());
  const { db } = app;
  const { url } = await receiver();
  const { subscription_id: id } = await subscribe(app, { webhook_url: url });
  const where = { id: fromPublicId('monitor', id) ?? '' };
  const failures: unknown[] = [];
  db.on('query-error', ({ code }: { readonly code: unknown }) => failures.push(code));
  const other = await db.transaction();
  await other.raw("SET LOCAL deadlock_timeout = '10s'"); // the change looks for a deadlock first, so it is the one that Postgres ends
  await other('monitors').where(where).forNoKeyUpdate().first('id'); // the release before locks the monitor first
  const change = patch(app, `${PATH}/${id}`, { webhook_url: `${url}?new` });
  // Lists that are loaded meanwhile may wait for a lock, too.
  const waiting = () =>
    db('pg_stat_activity').where({ wait_event_type: 'Lock' }).whereRaw("datname = current_database() AND query ~ 'monitors'").pluck('pid');
  await expect.poll(waiting).toHaveLength(1);
  await other('monitors').where(where).update({ failures: 1 }); // a trigger writes the endpoint, which the change has locked
  await other.commit();
  expect(await change).toMatchObject({ status: 200, body: { webhook_url: `${url}?new` } });
  expect(await db('monitors').where(where).first()).toMatchObject({ webhook_url: `${url}?new`, failures: 1 });
  expect(failures).toEqual(['40P01']); // a deadlock
});

it.each(['an erasure', 'a purge of screenings'])('%s and the outcome of an attempt do not lock each other out', async (deletion) => {
  const app = await testApp({ env: { QUIPU_OUTBOUND_ALLOW: '127.0.0.1/32' }, listsTried: false });
  onTestFinished(() => app.close());
  const { db } = app;
  const { url } = await receiver();
  const { body } = await app.post('/v1/screenings', { identifiers: ['hello'], webhook_url: url });
  const id = fromPublicId('screening', body.screening_id) ?? '';
  const { key_id: keyId } = await db('webhook_endpoints').where({ id }).first();
  const sender = await db.transaction(); // takes its locks in the order of `recordAttempts`
  await lockEndpoints(sender, [id], [id]);
  const deleted =
    deletion === 'an erasure'
      ? db.transaction((trx) => webhookAccountData.erase(trx, { accountId: '', keyIds: [keyId] }))
      : purgeScreenings(db, { before: Date.now() + DAY_MS, limit: 10 }, Date.now());
  const waiting = () => db('pg_stat_activity').where({ wait_event_type: 'Lock' }).whereRaw('datname = current_database()').pluck('pid');
  await expect.poll(waiting).toHaveLength(1);
  await sender('endpoint_partitions').where({ monitor_id: id }).forUpdate().select('partition');
  await sender('deliveries').where({ monitor_id: id }).update({ state: 'delivered', due_at: null, settled_at: new Date() });
  await sender.commit();
  await deleted;
  expect([await db('webhook_endpoints').where({ id }), await db('endpoint_partitions').where({ monitor_id: id })]).toEqual([[], []]);
});
