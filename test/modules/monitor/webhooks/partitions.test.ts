import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HOUR_MS } from '../../../../src/domain/time.ts';
import {
  abandonPartition,
  claimNextDelivery,
  claimPartitions,
  lockPartitions,
  releasePartitions,
} from '../../../../src/webhooks/store/delivery-partitions.ts';
import { addDeliveries } from '../../../../src/webhooks/store/delivery-queue.ts';
import { deleteEndpoints } from '../../../../src/webhooks/store/endpoints.ts';
import { addMissingSlots } from '../../../../src/webhooks/store/retention.ts';
import { createSender } from './sender.ts';
import { receiver, setup, taxIdOf } from './support.ts';

const ROOM = { limit: 64, slowLimit: 32 };

/** Creates a monitor with one pending delivery and a clock that the test controls. */
async function waiting() {
  const clock = { time: Date.now() };
  const world = await setup({ now: () => clock.time });
  const target = await receiver();
  const watch = await world.monitor(target.url);
  await world.change([taxIdOf(1)]);
  return { ...world, clock, target, watch };
}

describe('WH-08 partitions', () => {
  it('that were slow are claimed up to the slow limit, those due longest first', async () => {
    const { db } = await setup();
    const now = Date.now();
    const partitions = Array.from({ length: 100 }, (_, i) => ({
      monitor_id: randomUUID(),
      host: `h${i}`,
      partition: 0,
      due_at: new Date(now - i),
      quick: i >= 70,
    }));
    await db('endpoint_partitions').insert(partitions);
    await db.raw('INSERT INTO webhook_host_slots (host, slot) SELECT host, slot FROM endpoint_partitions, generate_series(0, 3) AS slot');
    const { leased: claimed } = await claimPartitions(db, ROOM, now);
    expect(
      claimed
        .filter(({ quick }) => !quick)
        .map(({ host }) => host)
        .sort(),
    ).toEqual(
      partitions
        .slice(38, 70)
        .map(({ host }) => host)
        .sort(),
    );
    expect(claimed.filter(({ quick }) => quick)).toHaveLength(30);
    expect(await claimPartitions(db, { limit: 2, slowLimit: 0 }, now)).toEqual({ leased: [], isCut: false });
    expect((await claimPartitions(db, { limit: 2, slowLimit: 2 }, now)).leased.map(({ host }) => host).sort()).toEqual(['h36', 'h37']);
  });

  it('are claimed behind more due ones than a statement reads at first, when the slots of the host of those are in use', async () => {
    const { db } = await setup();
    const now = Date.now();
    const partition = (host: string, i: number) => ({
      monitor_id: randomUUID(),
      host,
      partition: 0,
      due_at: new Date(now - i),
      quick: true,
    });
    await db('endpoint_partitions').insert([...Array.from({ length: 600 }, (_, i) => partition('busy', i + 1)), partition('free', 0)]);
    const slot = (host: string, n: number) => ({
      host,
      slot: n,
      lease: randomUUID(),
      leased_until: new Date(now + (host === 'busy' ? 1_000 : -1)),
    });
    await db('webhook_host_slots').insert(['busy', 'free'].flatMap((host) => [0, 1, 2, 3].map((n) => slot(host, n))));
    expect(await claimPartitions(db, { ...ROOM, firstOnly: true }, now)).toEqual({ leased: [], isCut: true });
    expect((await claimPartitions(db, ROOM, now)).leased.map(({ host }) => host)).toEqual(['free']);
  });

  it('are sent one after another behind more due ones of a busy host than a statement reads at first', async () => {
    const { db, monitor, change, webhooks } = await setup();
    const { url, received } = await receiver();
    const { taxIds } = await monitor(url);
    for (let n = 0; n < 20; n += 1) await change(taxIds);
    const busy = { host: 'busy', partition: 0, due_at: new Date(0), quick: true };
    await db('endpoint_partitions').insert(Array.from({ length: 600 }, () => ({ ...busy, monitor_id: randomUUID() })));
    const leased = { host: 'busy', lease: randomUUID(), leased_until: new Date(Date.now() + HOUR_MS) };
    await db('webhook_host_slots').insert([0, 1, 2, 3].map((slot) => ({ ...leased, slot })));
    await webhooks.sendDue(); // no job calls it again
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(20);
  });

  it('get the slots of their host again that a purge deleted while their delivery was added', async () => {
    const { db, monitor, change, drain } = await setup();
    const { url, host, received } = await receiver();
    const before = await monitor(url);
    await change(before.taxIds);
    await drain();
    const after = await monitor(url, { taxIds: [taxIdOf(2)] });
    const delivery = { endpointId: after.id, ownerKind: 'monitor', keyId: after.keyId, reportedId: null, host, subject: '2', send: true };
    const adding = await db.transaction();
    await addDeliveries(adding, [{ ...delivery, eventId: 'evt_2', body: '{}' }], Date.now());
    await db.transaction((trx) => deleteEndpoints(trx, [before.id]));
    await adding.commit();
    expect(await db('webhook_host_slots')).toEqual([]);
    await addMissingSlots(db, Date.now());
    await drain();
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([expect.any(String), 'evt_2']);
  });

  it('belong to one process at a time; after the lease expires another process can claim them, and the first one cannot continue', async () => {
    const { db, clock, drain, target } = await waiting();
    const {
      leased: [partition],
    } = await claimPartitions(db, ROOM, clock.time);
    if (!partition) throw new Error('no partition');
    expect(await claimNextDelivery(db, partition, clock.time)).toMatchObject({ attempts: 1 });
    expect((await claimPartitions(db, ROOM, clock.time)).leased).toEqual([]);
    clock.time += 29_999;
    expect((await claimPartitions(db, ROOM, clock.time)).leased).toEqual([]);
    clock.time += 1;
    await drain();
    expect(target.received).toHaveLength(1);
    expect(await claimNextDelivery(db, partition, clock.time)).toBeNull();
    await db.transaction(async (trx) => expect(await lockPartitions(trx, [partition], { wait: true })).toEqual([]));
    const attempts = await db('delivery_attempts').orderBy('number').select('number', 'error', 'status', 'latency_ms');
    expect(attempts).toMatchObject([
      { number: 1, error: 'interrupted', status: null, latency_ms: null },
      { number: 2, error: null, status: 200 },
    ]);
  });

  it('are due again at once when a delivery was added during the current one', async () => {
    const { db, clock, change } = await waiting();
    const {
      leased: [partition],
    } = await claimPartitions(db, ROOM, clock.time);
    if (!partition) throw new Error('no partition');
    const taken = await claimNextDelivery(db, partition, clock.time);
    await change([taxIdOf(1)]);
    await db('deliveries').where({ id: taken?.id }).update({ state: 'delivered', due_at: null });
    await db.transaction(async (trx) => releasePartitions(trx, [partition], clock.time));
    expect(await db('endpoint_partitions').first()).toMatchObject({ lease: null, due_at: new Date(clock.time) });
  });

  it('are not claimed while a writer locks them, and are claimed after its commit', async () => {
    const { db, webhooks, clock, change, target } = await waiting();
    const writer = await db.transaction();
    await writer('endpoint_partitions').update({ due_at: new Date(clock.time) });
    const pumped = webhooks.sendDue();
    await pumped;
    expect(target.received).toEqual([]); // the partition is locked
    await writer.commit();
    await change([taxIdOf(1)]);
    await webhooks.sendDue();
    await expect.poll(() => target.received.length).toBe(2);
    await expect.poll(() => db('endpoint_partitions').first('due_at')).toEqual({ due_at: null });
  });

  it('that a process abandons are claimed by another process at once', async () => {
    const { db, clock, target } = await waiting();
    const {
      leased: [partition],
    } = await claimPartitions(db, ROOM, clock.time);
    if (!partition) throw new Error('no partition');
    await claimNextDelivery(db, partition, clock.time);
    await abandonPartition(db, partition);
    const other = createSender(db, { now: () => clock.time });
    onTestFinished(() => other.webhooks.close());
    await other.webhooks.sendDue();
    await expect.poll(() => target.received.length).toBe(1);
  });
});

describe('WH-06 a process that shuts down', () => {
  it('completes requests that end soon, and another process sends the others again with the same id', async () => {
    const { db, monitor, change } = await setup();
    let hang = true;
    const slow = await receiver((_, response) => void setTimeout(() => response.end(), 1_000));
    const stuck = await receiver((_, response) => void (hang || response.end()));
    await monitor(slow.url);
    await monitor(stuck.url);
    const leaving = createSender(db);
    await change([taxIdOf(1)]);
    await leaving.webhooks.sendDue();
    await expect.poll(() => slow.received.length + stuck.received.length).toBe(2);
    await leaving.webhooks.close();
    await leaving.webhooks.sendDue();
    expect(await db('deliveries').select('host', 'state').orderBy('state')).toEqual([
      { host: slow.host, state: 'delivered' },
      { host: stuck.host, state: 'sending' },
    ]);
    hang = false;
    const staying = createSender(db);
    onTestFinished(() => staying.webhooks.close());
    await staying.webhooks.sendDue();
    await expect.poll(() => stuck.received.length).toBe(2);
    const [first, second] = stuck.received;
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(slow.received).toHaveLength(1);
  });

  it('leaves one job in the queue that sends again within 15 s', async () => {
    const { db, webhooks } = await setup();
    await webhooks.sendDueAndReschedule();
    await webhooks.sendDueAndReschedule();
    const { rows } = await db.raw("SELECT run_at FROM graphile_worker.jobs WHERE task_identifier = 'monitor.deliver'");
    expect(rows).toHaveLength(1);
    expect(rows[0].run_at.getTime() - Date.now()).toBeLessThanOrEqual(15_000);
  });

  it('leaves a job in the queue that lets other processes send within 1 s, while its requests are under way', async () => {
    const { db, webhooks, monitor, change } = await setup();
    const { url, received } = await receiver(() => undefined); // no answer
    await monitor(url);
    await change([taxIdOf(1)]);
    await webhooks.sendDueAndReschedule();
    const { rows } = await db.raw("SELECT run_at FROM graphile_worker.jobs WHERE task_identifier = 'monitor.deliver'");
    expect(rows).toHaveLength(1);
    expect(rows[0].run_at.getTime() - Date.now()).toBeLessThanOrEqual(1_000);
    await expect.poll(() => received.length).toBe(1);
  });
});
