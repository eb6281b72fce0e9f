import { describe, expect, it } from 'vitest';
import { MONITOR } from '../../../../src/modules/monitor/store/monitors.ts';
import { type OutboundClient, OutboundFailure } from '../../../../src/sources/outbound/outbound.ts';
import { parkingMs } from '../../../../src/webhooks/domain/delivery.ts';
import { addDeliveries } from '../../../../src/webhooks/store/delivery-queue.ts';
import { saveEndpoint } from '../../../../src/webhooks/store/endpoints.ts';
import { receiver, setup, taxIdOf } from './support.ts';

/** Runs `instead` for requests to paths that contain `hanging`. */
const hangingPaths =
  (instead: () => Promise<void>) =>
  (client: OutboundClient): OutboundClient => ({
    ...client,
    async request(request) {
      if (request.url.pathname.includes('hanging')) await instead();
      return client.request(request);
    },
  });

describe('WH-08 endpoints of one host', () => {
  it('that hang leave slots of the host to an endpoint that answers', async () => {
    const hanging = Promise.withResolvers<void>();
    const { db, webhooks, monitor, change, drain } = await setup({ between: hangingPaths(() => hanging.promise) });
    const { url, received } = await receiver();
    const healthy = await monitor(url, { taxIds: [taxIdOf(100)] });
    await change([taxIdOf(100)]);
    await drain(); // it has answered once
    for (let n = 0; n < 10; n += 1) await monitor(`${url}/hanging/${n}`, { taxIds: [taxIdOf(n), taxIdOf(n + 10), taxIdOf(n + 20)] });
    await change(Array.from({ length: 30 }, (_, n) => taxIdOf(n)));
    await webhooks.sendDue();
    for (let n = 1; n <= 20; n += 1) {
      await change([taxIdOf(100)]);
      await webhooks.sendDue();
      await expect.poll(() => received.length, { timeout: 30_000 }).toBe(1 + n); // no hanging request has ended yet
    }
    const delivered = () => db('deliveries').where({ monitor_id: healthy.id, state: 'delivered' });
    await expect.poll(delivered, { timeout: 30_000 }).toHaveLength(21);
    const inFlight = await db('webhook_host_slots').whereNotNull('lease').count('* as n').first();
    expect(Number(inFlight?.n)).toBeLessThanOrEqual(4);
    hanging.resolve();
    await drain();
  }, 90_000);
});

it('attempts wait for no transaction of another endpoint', async () => {
  const { db, monitor, change, drain } = await setup();
  const { url, received } = await receiver();
  await monitor(url, { taxIds: [taxIdOf(1)] });
  const other = await monitor(`${url}/other`, { taxIds: [taxIdOf(2)] });
  await change([taxIdOf(1)]);
  const open = await db.transaction();
  const delivery = {
    endpointId: other.id,
    ownerKind: MONITOR,
    keyId: other.keyId,
    reportedId: null,
    eventId: 'evt',
    body: '{}',
    host: 'a:1',
    subject: 'a',
    send: true,
  };
  await addDeliveries(open, [delivery], Date.now());
  await drain();
  expect(received).toHaveLength(1);
  await open.rollback();
});

describe('an endpoint that timed out', () => {
  it('is parked with all its deliveries, longer each time, until it answers in time', async () => {
    const clock = { time: Date.now() };
    let hangs = true;
    const timeOut = async () => {
      if (hangs) throw new OutboundFailure('timeout', 'too late');
    };
    const { db, webhooks, monitor, change } = await setup({ now: () => clock.time, between: hangingPaths(timeOut) });
    const { url, received } = await receiver();
    const taxIds = Array.from({ length: 8 }, (_, n) => taxIdOf(n));
    const { id } = await monitor(`${url}/hanging`, { taxIds: taxIds.slice(0, 1) });
    const attempts = async () => Number((await db('delivery_attempts').whereNotNull('error').count('* as n').first())?.n);
    const sendOne = async () => {
      await change([taxIdOf(0)]);
      await webhooks.sendDue();
    };
    await sendOne();
    await expect.poll(attempts).toBe(1);
    await expect.poll(() => db('endpoint_partitions').first('lease')).toEqual({ lease: null });
    expect(await db('webhook_endpoints').where({ id }).first('timeouts', 'parked_until')).toEqual({
      timeouts: 1,
      parked_until: new Date(clock.time + 4_000),
    });
    await sendOne();
    clock.time += 3_999;
    await webhooks.sendDue();
    expect(await db('deliveries').where({ state: 'pending' })).toHaveLength(1); // parked
    clock.time += 1;
    await webhooks.sendDue();
    await expect.poll(attempts).toBe(2);
    await expect
      .poll(() => db('webhook_endpoints').where({ id }).first('parked_until'))
      .toEqual({ parked_until: new Date(clock.time + 8_000) });
    hangs = false;
    await sendOne();
    clock.time += 8_000;
    await webhooks.sendDue();
    await expect.poll(() => received.length).toBe(1);
    await expect
      .poll(() => db('webhook_endpoints').where({ id }).first('timeouts', 'parked_until'))
      .toEqual({ timeouts: 0, parked_until: null });
  });

  it('is not parked any more once it has another URL', async () => {
    const timeOut = () => Promise.reject(new OutboundFailure('timeout', 'too late'));
    const { db, webhooks, monitor, change } = await setup({ between: hangingPaths(timeOut) });
    const { url, received } = await receiver();
    const { id, taxIds } = await monitor(`${url}/hanging`);
    const parkedUntil = async () => (await db('webhook_endpoints').where({ id }).first('parked_until')).parked_until;
    await change(taxIds);
    await webhooks.sendDue();
    await expect.poll(parkedUntil).toEqual(expect.any(Date));
    await db.transaction((trx) => saveEndpoint(trx, id, { url }));
    expect(await parkedUntil()).toBeNull();
    await change(taxIds);
    await webhooks.sendDue();
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1); // no job calls sendDue again
  });

  it('is parked for 4 seconds first and for 4 minutes at most', () => {
    expect([1, 2, 3, 6, 7, 8, 100].map(parkingMs)).toEqual([4_000, 8_000, 16_000, 128_000, 240_000, 240_000, 240_000]);
  });
});
