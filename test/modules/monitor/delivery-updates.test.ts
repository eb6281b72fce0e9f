import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { describe, expect, it } from 'vitest';
import type { EventFeed } from '../../../src/event-feed.ts';
import { MONITOR } from '../../../src/modules/monitor/store/monitors.ts';
import type { Delivery } from '../../../src/webhooks/domain/delivery.ts';
import { renumberUpdates } from '../../../src/webhooks/store/delivery-log.ts';
import { addDeliveries } from '../../../src/webhooks/store/delivery-queue.ts';
import { feeds, KEY, OWN, take } from './feed-support.ts';

const add = (trx: Knex, subject: string, count = 1): Promise<readonly string[]> =>
  addDeliveries(
    trx,
    Array.from({ length: count }, () => ({
      endpointId: OWN,
      ownerKind: MONITOR,
      keyId: KEY,
      reportedId: null,
      eventId: 'evt',
      body: '{}',
      host: 'receiver.example',
      subject,
      send: false,
    })),
    Date.now(),
  );

/** Collects the ids of a feed until it is closed. */
function collect(feed: EventFeed<Delivery>): string[] {
  const ids: string[] = [];
  void (async () => {
    for await (const { id } of feed) ids.push(id);
  })().catch(() => undefined);
  return ids;
}

describe('updates of deliveries', () => {
  it('are given once each while eight writers take revisions in one order and commit in another, or roll back', async () => {
    const { db, feed } = await feeds();
    const ids = collect(await feed.deliveries({ keyId: KEY }));
    const committed: string[] = [];
    const write = async (writer: number) => {
      for (let n = 0; n < 25; n += 1) {
        const trx = await db.transaction();
        const [id = ''] = await add(trx, `${writer}`);
        await sleep(((writer * 7 + n * 13) % 11) * 20);
        const isKept = (writer + n) % 5 > 0;
        await (isKept ? trx.commit() : trx.rollback());
        if (isKept) committed.push(id);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
    await expect.poll(() => ids.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(committed.length);
    await sleep(1_200);
    expect(ids.toSorted()).toEqual(committed.toSorted());
  });

  it('are not held back by a transaction that stays open, and those of that transaction follow its commit', async () => {
    const { db, feed } = await feeds();
    const updates = await feed.deliveries({ keyId: KEY });
    const open = await db.transaction();
    const [late] = await add(open, 'late');
    const [early] = await db.transaction((trx) => add(trx, 'early'));
    expect((await take(updates, 1)).map(({ id }) => id)).toEqual([early]);
    await open.commit();
    expect((await take(updates, 1)).map(({ id }) => id)).toEqual([late]);
  });

  it('reach only subscribers of their key, from the time of the subscription on', async () => {
    const { db, feed } = await feeds();
    const stranger = collect(await feed.deliveries({ keyId: OWN }));
    const first = await feed.deliveries({ keyId: KEY });
    const [before = ''] = await db.transaction((trx) => add(trx, 'a'));
    const second = await feed.deliveries({ keyId: KEY });
    const [after = ''] = await db.transaction((trx) => add(trx, 'b'));
    expect((await take(first, 2)).map(({ id }) => id)).toEqual([before, after]);
    expect((await take(second, 1)).map(({ id }) => id)).toEqual([after]);
    expect(stranger).toEqual([]);
  });

  it('of one delivery that were not taken are given once, at the latest one', async () => {
    const { db, feed } = await feeds();
    const updates = await feed.deliveries({ keyId: KEY });
    const [id] = await db.transaction((trx) => add(trx, 'a'));
    await sleep(1_200);
    const revised = { revision: db.raw("nextval('delivery_revisions')"), revised_by: db.raw('pg_current_xact_id()') };
    await db('deliveries').update({ state: 'delivered', ...revised });
    await sleep(1_200);
    const [other] = await db.transaction((trx) => add(trx, 'b'));
    const taken = await take(updates, 2);
    expect(taken.map((delivery) => [delivery.id, delivery.state])).toEqual([
      [id, 'delivered'],
      [other, 'dropped'],
    ]);
  });

  it('of a restored dump are not given, although they name transactions that the server has not had yet', async () => {
    const { db, feed } = await feeds();
    await add(db, 'restored', 3);
    await db('deliveries').update({ revised_by: db.raw(`(pg_current_xact_id()::text::bigint + 20)::text::xid8`) });
    await db.transaction(renumberUpdates);
    const updates = await feed.deliveries({ keyId: KEY });
    for (let n = 0; n < 30; n += 1) await db.raw('SELECT pg_current_xact_id()');
    const [next] = await add(db, 'new');
    expect((await take(updates, 1)).map(({ id }) => id)).toEqual([next]);
  });

  it('end a subscription that takes none of 256 for five seconds', async () => {
    const { db, feed, clock } = await feeds();
    const updates = await feed.deliveries({ keyId: KEY });
    await db.transaction((trx) => add(trx, 'a', 256));
    await sleep(1_200);
    expect(updates.evicted.aborted).toBe(false);
    clock.now += 5_000;
    await expect.poll(() => updates.evicted.aborted, { timeout: 5_000 }).toBe(true);
    await expect(updates.next()).rejects.toMatchObject({ code: 'LAGGED' });
    expect(feed.subscribers()).toBe(0);
  });
});
