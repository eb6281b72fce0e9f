import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { appBehindProxy, outcomesOf } from '../support/without-database.ts';

let app: Awaited<ReturnType<typeof appBehindProxy>>;
beforeAll(async () => {
  app = await appBehindProxy();
});
afterAll(() => app.close());

describe('without the database', () => {
  it.each(['refuse', 'silent'] as const)(
    'DB-02 every mutation and every other request is SERVICE_UNAVAILABLE, unless the caches answer it (%s)',
    async (mode) => {
      onTestFinished(() => app.proxy.newConnections('pass'));
      app.proxy.newConnections(mode);
      if (mode === 'refuse') app.proxy.cut();
      else app.proxy.freeze();
      const outcomes = await Promise.all(app.requests().map(async (request) => ({ request, outcome: await request.send() })));
      expect(outcomes.length).toBeGreaterThan(10);
      const wrong = outcomes.filter(({ request, outcome }) => !outcomesOf(request).includes(outcome));
      expect(wrong.map(({ request, outcome }) => [request.name, outcome])).toEqual([]);
      expect(app.lines.filter(({ msg }) => msg === 'request failed' || msg === 'resolver failed')).toEqual([]);

      app.proxy.newConnections('pass');
      app.proxy.cut();
      await expect.poll(async () => (await app.server.inject('/readyz')).statusCode, { timeout: 15_000 }).toBe(200);
      await expect.poll(async () => (await app.post('/v1/kyb', KYB)).status, { timeout: 15_000 }).toBe(200);
    },
  );
});

const KYB = { identifier: '11222333000181', country: 'BR' };
