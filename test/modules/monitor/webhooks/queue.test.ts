import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromPublicId } from '../../../../src/domain/public-ids.ts';
import { type TestApp, testApp } from '../../../support/app.ts';
import { call, PATH, publishChanges, subscribe, world } from '../api-requests.ts';
import { receiver } from './support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ env: { QUIPU_ROLES: 'server,worker', QUIPU_MONITOR_INTERVAL: '6h' } });
});
afterAll(() => app.close());

describe('a webhook of the whole service', () => {
  it('WH-01 is delivered by the worker, signed with the secret of the creation response', async () => {
    const { url, received } = await receiver();
    const { secret, subscription_id } = await subscribe(app, { webhook_url: url });
    await publishChanges(app, world.slice(0, 2));
    await expect.poll(() => received.length).toBe(2);
    for (const { body, headers } of received) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ subscription_id });
    }
  });

  it('WH-12 is retried under the standard retry policy', async () => {
    const { url, received } = await receiver((_, response) => void response.writeHead(received.length === 1 ? 500 : 204).end());
    await subscribe(app, { webhook_url: url, retry_policy: 'standard', identifiers: world.slice(2, 3) });
    await publishChanges(app, world.slice(2, 3));
    await expect.poll(() => received.length, { timeout: 15_000 }).toBe(2);
  });

  it('WH-11 is not sent once the subscription is deleted, except for requests in flight', async () => {
    const { url, received } = await receiver((_, response) => void setTimeout(() => response.end(), 20));
    const { subscription_id } = await subscribe(app, { webhook_url: url, identifiers: world.slice(0, 10) });
    for (let n = 0; n < 20; n += 1) await publishChanges(app, world.slice(0, 10));
    await expect.poll(() => received.length).toBeGreaterThan(5);
    const { status } = await call(app, 'DELETE', `${PATH}/${subscription_id}`);
    expect(status).toBeLessThan(300);
    const begun = received.length;
    const monitor_id = fromPublicId('monitor', subscription_id);
    const waiting = () => app.db('deliveries').where({ monitor_id }).whereIn('state', ['pending', 'sending']).select('id');
    await expect.poll(waiting, { timeout: 10_000 }).toEqual([]);
    expect(received.length - begun).toBeLessThanOrEqual(4); // requests in flight
    expect(received.length).toBeLessThan(200);
    await publishChanges(app, world.slice(0, 10));
    expect(await app.db('deliveries').where({ monitor_id })).toHaveLength(200);
  });

  it('SS-06 is rejected for private addresses, with the same message for each', async () => {
    const said = await Promise.all(
      ['https://10.0.0.1/', 'https://169.254.169.254/', 'https://[::ffff:10.0.0.1]/'].map(async (webhook_url) => {
        const { status, body } = await app.post(PATH, { identifiers: world.slice(0, 1), country: 'BR', webhook_url });
        return `${status} ${body.code} ${JSON.stringify(body.errors ?? body.detail)}`;
      }),
    );
    expect(new Set(said).size).toBe(1);
    expect(said[0]).toMatch(/^422 invalid_input .*Webhooks cannot be sent to this address/);
  });
});
