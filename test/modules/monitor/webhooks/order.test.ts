import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDns } from '../../../../src/sources/dns/client.ts';
import type { OutboundClient } from '../../../../src/sources/outbound/outbound.ts';
import { dnsServer, soa } from '../../../support/dns-server.ts';
import { memoryLog } from '../../../support/log.ts';
import { OWN } from '../../../support/own-numbers.ts';
import { inFullRun } from '../../../support/rounds.ts';
import { createSender } from './sender.ts';
import { receiver, setup, taxIdOf } from './support.ts';

const several = (n: number): readonly string[] => Array.from({ length: n }, (_, i) => taxIdOf(i));

describe('WH-09 requests of one company to one monitor', () => {
  it('arrive in the order of its changes when the receiver has random delays and two processes send', async () => {
    const { db, monitor, change, drain } = await setup();
    const other = createSender(db);
    onTestFinished(() => other.webhooks.close());
    const { url, received } = await receiver((_, response) => void setTimeout(() => response.end(), Math.random() * inFullRun(500, 40)));
    const taxIds = several(20);
    await monitor(url, { taxIds });
    for (let step = 0; step < 50; step += 1) {
      await change(taxIds, [{ field: 'size', from: String(step), to: String(step + 1) }]);
      await Promise.all([other.webhooks.sendDue(), sleep(10)]);
    }
    await drain();
    expect(received).toHaveLength(1_000);
    const bodies = received.map(({ body }) => JSON.parse(body));
    for (const [, its] of Map.groupBy(bodies, ({ identifier }) => identifier)) {
      expect(its.map(({ changed_fields }) => changed_fields.size.to)).toEqual(Array.from({ length: 50 }, (_, i) => String(i + 1)));
    }
  }, 300_000);
});

describe('WH-08 requests to one host', () => {
  it('are at most four at a time over three processes', async () => {
    const { db, monitor, change, drain } = await setup();
    const others = [createSender(db), createSender(db)];
    for (const { webhooks } of others) onTestFinished(() => webhooks.close());
    let most = 0;
    const { url, open, received } = await receiver((_, response) => {
      most = Math.max(most, open());
      setTimeout(() => response.end(), 20);
    });
    for (let n = 0; n < 5; n += 1) await monitor(url, { taxIds: several(20) });
    await change(several(20));
    await Promise.all(others.map(({ webhooks }) => webhooks.sendDue()));
    await drain();
    expect(received).toHaveLength(100);
    expect(most).toBeLessThanOrEqual(4);
    expect(most).toBeGreaterThan(1);
  }, 60_000);

  it('that hang do not delay requests to other hosts', async () => {
    const hanging = Promise.withResolvers<void>();
    const dead = new Set<string>();
    const between = (client: OutboundClient): OutboundClient => ({
      ...client,
      async request(request) {
        if (dead.has(request.url.host)) await hanging.promise;
        return client.request(request);
      },
    });
    const start = Date.now();
    const { db, webhooks, monitor, change, drain } = await setup({ between, now: () => start });
    const hosts = await Promise.all(Array.from({ length: 100 }, (_, i) => receiver(undefined, { host: `127.0.1.${i + 1}` })));
    for (const { host } of hosts.slice(0, 10)) dead.add(host);
    for (const { url } of hosts) await monitor(url, { taxIds: several(10) });
    await change(several(10));
    await webhooks.sendDue();
    const settled = () => db('deliveries').where({ state: 'delivered' }).countDistinct('host as hosts').count('* as all').first();
    await expect.poll(settled, { timeout: 60_000 }).toEqual({ hosts: '90', all: '900' });
    hanging.resolve();
    await drain();
    expect(hosts.map(({ received }) => received.length)).toEqual(Array(100).fill(10));
  }, 90_000);

  it('whose name server does not answer do not stop requests to other hosts', async () => {
    const names = await dnsServer(({ name, type }) => {
      if (name.startsWith('silent')) return 'silence';
      return type === 'A' ? { answers: [{ type: 'A', name, ttl: 60, data: '127.0.0.1' }] } : { authorities: [soa(60)] };
    });
    const dns = createDns({ servers: [names.address], concurrency: 128, rests: false, now: Date.now, log: memoryLog().log });
    const { db, monitor, change, drain } = await setup({ dns });
    const { url, received } = await receiver();
    for (let n = 0; n < 12; n += 1) await monitor(url.replace('127.0.0.1', `silent-${n}.cl`), { taxIds: several(2) });
    for (let n = 0; n < 12; n += 1) await monitor(url.replace('127.0.0.1', `fine-${n}.cl`), { taxIds: several(5) });
    await change(several(5));
    await drain();
    expect(received).toHaveLength(60);
    const errors = await db('delivery_attempts').select('error').count().groupBy('error').orderBy('error');
    expect(errors).toEqual([
      { error: 'dns_failed', count: '24' },
      { error: null, count: '60' },
    ]);
  }, 90_000);
});

describe('WH-11 a cancelled monitor', () => {
  const ROUNDS = Array.from({ length: inFullRun(OWN['WH-11'].deletions, 1) }, (_, i) => i + 1);
  const PENDING = inFullRun(OWN['WH-11'].pendingDeliveries, 200);

  it.each(ROUNDS)('gets no request that had not started, and the rest of its deliveries is dropped: round %i', async () => {
    const { db, webhooks, monitor, change, drain } = await setup();
    const { url, received } = await receiver((_, response) => void setTimeout(() => response.end(), 20));
    const { id } = await monitor(url, { taxIds: several(PENDING) });
    await change(several(PENDING));
    await webhooks.sendDue();
    await expect.poll(() => received.length).toBeGreaterThan(10);
    await db('webhook_endpoints').where({ id }).update({ closed_at: new Date() });
    await sleep(100);
    const before = received.length;
    await drain();
    expect(received.length).toBe(before);
    const states = await db('deliveries').select('state').count().groupBy('state').orderBy('state');
    expect(states).toEqual([
      { state: 'delivered', count: String(before) },
      { state: 'dropped', count: String(PENDING - before) },
    ]);
    expect(
      await db('deliveries')
        .where({ state: 'dropped' })
        .andWhere((q) => q.whereNotNull('due_at').orWhereNull('settled_at')),
    ).toEqual([]);
  });
});
