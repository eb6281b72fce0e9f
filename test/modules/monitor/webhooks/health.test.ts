import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/time.ts';
import { type EndpointHealth, HEALTHY, healthAfterAttempt } from '../../../../src/webhooks/domain/delivery.ts';
import { enableEndpoint } from '../../../../src/webhooks/store/endpoints.ts';
import { receiver, setup, taxIdOf } from './support.ts';

/** Returns the EndpointHealth after attempts, one every `everyMs` from 0 on: `.` is a success, `x` a failure. */
const healthOf = (attempts: string, everyMs: number): EndpointHealth =>
  [...attempts].reduce((health, one, i) => healthAfterAttempt(health, one === '.', i * everyMs), HEALTHY);

describe('WH-13 a receiver', () => {
  it('is failing from the third consecutive failure on, and disabled at the hundredth', () => {
    expect(healthOf('xx', 1)).toEqual({ failures: 2, failingSince: null, disabledAt: null });
    expect(healthOf('xxx', 1)).toEqual({ failures: 3, failingSince: 2, disabledAt: null });
    expect(healthOf('x'.repeat(99), 1)).toMatchObject({ failures: 99, failingSince: 2, disabledAt: null });
    expect(healthOf('x'.repeat(100), 1)).toMatchObject({ failures: 100, failingSince: 2, disabledAt: 99 });
  });

  it('is disabled once it has been failing for five days', () => {
    const steps = (5 * DAY_MS) / (2 * HOUR_MS) + 3; // the endpoint is failing from the third failure on
    expect(healthOf('x'.repeat(steps - 1), 2 * HOUR_MS).disabledAt).toBeNull();
    expect(healthOf('x'.repeat(steps), 2 * HOUR_MS).disabledAt).toBe(5 * DAY_MS + 4 * HOUR_MS);
  });

  it('is not disabled when a success comes before the limit', () => {
    expect(healthOf(`${'x'.repeat(99)}.${'x'.repeat(99)}`, 1).disabledAt).toBeNull();
    expect(healthOf(`${'x'.repeat(60)}.${'x'.repeat(60)}`, 2 * HOUR_MS).disabledAt).toBeNull();
    expect(healthOf('xx.'.repeat(500), HOUR_MS)).toEqual(HEALTHY);
  });

  it('that is disabled gets no requests, its pending deliveries are dropped, and one call enables it again', async () => {
    const world = { time: Date.now(), down: true };
    const { db, keyId, monitor, change, drain } = await setup({ now: () => world.time });
    const { url, received } = await receiver((_, response) => void response.writeHead(world.down ? 500 : 200).end());
    const { id } = await monitor(url);
    for (let n = 0; n < 150; n += 1) await change([taxIdOf(1)]);
    await drain();
    expect(received).toHaveLength(100);
    const at = new Date(world.time);
    expect(await db('webhook_endpoints').first()).toMatchObject({ failures: 100, failing_since: at, disabled_at: at });
    expect(await db('deliveries').select('state').count().groupBy('state').orderBy('state')).toEqual([
      { state: 'dropped', count: '50' },
      { state: 'failed', count: '100' },
    ]);
    expect(await db('deliveries').whereNotNull('due_at')).toEqual([]);

    world.down = false;
    await change([taxIdOf(1)]);
    await drain();
    expect(received).toHaveLength(100);
    expect(await db('deliveries').where({ state: 'dropped' })).toHaveLength(51);

    expect(await enableEndpoint(db, { keyId, id })).toBe(true);
    await change([taxIdOf(1)]);
    await drain();
    expect(received).toHaveLength(101);
    expect(await db('webhook_endpoints').first()).toMatchObject({ failures: 0, failing_since: null, disabled_at: null });
  }, 60_000);

  it('is healthy again after one success', async () => {
    const { db, monitor, change, drain } = await setup();
    let left = 5;
    const { url } = await receiver((_, response) => {
      left -= 1;
      response.writeHead(left >= 0 ? 503 : 200).end();
    });
    await monitor(url);
    for (let n = 0; n < 5; n += 1) await change([taxIdOf(1)]);
    await drain();
    expect(await db('webhook_endpoints').first()).toMatchObject({ failures: 5, failing_since: expect.any(Date) });
    await change([taxIdOf(1)]);
    await drain();
    expect(await db('webhook_endpoints').first()).toMatchObject({ failures: 0, failing_since: null });
  });

  it('that is disabled during a retry gets no further retry', async () => {
    const world = { time: Date.now() };
    const { db, monitor, change, drain } = await setup({ now: () => world.time });
    const { url, received } = await receiver((_, response) => void response.writeHead(500).end());
    await monitor(url, { retryPolicy: 'standard' });
    await db('webhook_endpoints').update({ failures: 98, failing_since: new Date(world.time) });
    await change([taxIdOf(1)]);
    await drain();
    expect(await db('deliveries').first()).toMatchObject({ state: 'pending', attempts: 1 });
    world.time += HOUR_MS;
    await drain();
    expect(received).toHaveLength(2);
    expect(await db('deliveries').first()).toMatchObject({ state: 'failed', attempts: 2, due_at: null });
  });
});
