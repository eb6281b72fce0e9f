import { describe, expect, it } from 'vitest';
import { readEgressProxy } from '../../../../src/sources/outbound/egress-proxy.ts';
import { connectProxy } from '../../../support/connect-proxy.ts';
import { receiver, setup, taxIdOf } from './support.ts';

/** A sender behind a proxy, with a clock that the test moves. */
async function behindProxy() {
  const clock = { aheadMs: 0 };
  const proxy = await connectProxy({ credentials: 'quipu:secret' });
  const world = await setup({ now: () => Date.now() + clock.aheadMs, proxy: readEgressProxy(proxy.url) });
  const states = () => world.db('deliveries').orderBy('revision').select('state', 'attempts');
  return { ...world, proxy, clock, states };
}

const DELIVERED = { state: 'delivered', attempts: 1 };
const WAITING = { state: 'pending', attempts: 0 };

describe('SS-07 webhooks behind an egress proxy', () => {
  it('all go through it', async () => {
    const { monitor, change, drain, proxy, states } = await behindProxy();
    const { url, host, received } = await receiver();
    await monitor(url, { taxIds: [1, 2, 3].map(taxIdOf) });
    await change([1, 2, 3].map(taxIdOf));
    await drain();
    expect(received).toHaveLength(3);
    expect(proxy.tunnels).toEqual(Array(3).fill(host));
    expect(await states()).toEqual(Array(3).fill(DELIVERED));
  });

  it('wait while it is stopped, without an attempt or a failure of the receiver, and are then sent once and in order', async () => {
    const { db, webhooks, monitor, change, drain, proxy, clock, states } = await behindProxy();
    const { url, received } = await receiver();
    await monitor(url, { retryPolicy: 'none' });
    await proxy.stop();
    for (const to of ['suspended', 'closed']) await change([taxIdOf(1)], [{ field: 'status', from: null, to }]);
    for (let tries = 0; tries < 5; tries += 1) {
      await webhooks.sendDue();
      await expect.poll(() => db('endpoint_partitions').whereNotNull('lease').select('host')).toEqual([]);
      clock.aheadMs += 15_000;
    }
    expect(await states()).toEqual([WAITING, WAITING]);
    expect(await db('delivery_attempts').select('error')).toEqual([]);
    expect(await db('webhook_endpoints').first('failures', 'timeouts', 'disabled_at')).toEqual({
      failures: 0,
      timeouts: 0,
      disabled_at: null,
    });
    expect(received).toEqual([]);

    await proxy.start();
    await drain();
    expect(received.map(({ body }) => JSON.parse(body).changed_fields.status.to)).toEqual(['suspended', 'closed']);
    expect(await states()).toEqual([DELIVERED, DELIVERED]);
  });

  it('are not tried for ten seconds after it failed', async () => {
    const { db, webhooks, monitor, change, proxy, clock, lines } = await behindProxy();
    const { url } = await receiver();
    await monitor(url);
    await proxy.stop();
    await change([taxIdOf(1)]);
    const failures = () => lines.filter(({ kind }) => kind === 'proxy_failed').length;
    for (const [aheadMs, expected] of [
      [0, 1],
      [1_000, 1],
      [20_000, 2],
    ] as const) {
      clock.aheadMs = aheadMs;
      await webhooks.sendDue();
      await expect.poll(failures).toBe(expected);
      await expect.poll(() => db('endpoint_partitions').whereNotNull('lease').select('host')).toEqual([]);
    }
  });

  it('count an answer of the receiver as before', async () => {
    const { monitor, change, drain, states } = await behindProxy();
    const { url } = await receiver((_, response) => response.writeHead(500).end());
    await monitor(url);
    await change([taxIdOf(1)]);
    await drain();
    expect(await states()).toEqual([{ state: 'failed', attempts: 1 }]);
  });
});
