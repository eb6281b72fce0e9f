import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { isoWithOffset } from '../../../src/domain/time.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { call, HOOK, order, PATH, subscribe, world } from './api-requests.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ now: () => now });
});
afterAll(() => app.close());

/** Status, code and invalid fields of the error response to a POST. */
async function refusal(over: Readonly<Record<string, unknown>>) {
  const { status, body } = await app.post(PATH, order(over));
  return [status, body.code, ...(body.errors ?? []).map(({ field }: { field: string }) => field)];
}

describe('POST /v1/monitor/subscriptions', () => {
  it('returns exactly the subscription and its secret', async () => {
    const { status, body } = await app.post(PATH, order());
    expect(status).toBe(200);
    expect(body).toEqual({
      subscription_id: expect.stringMatching(/^mon_[0-9a-f]{32}$/),
      identifiers: world.slice(0, 2),
      country: 'BR',
      webhook_url: HOOK,
      status: 'active',
      created_at: isoWithOffset(now),
      retry_policy: 'none',
      webhook_format: 'standard',
      webhook_language: 'en',
      list_news: false,
      record_news: false,
      candidate_news: false,
      endpoint_state: 'active',
      held_changes: 0,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
  });

  it('accepts Chilean companies, a lower-case country, and the optional settings', async () => {
    const { rut } = chileanByScenario('cl-clean');
    const made = await app.post(PATH, order({ identifiers: [rut], country: 'cl', retry_policy: 'standard', list_news: true }));
    expect(made.body).toMatchObject({ identifiers: [rut], country: 'CL', retry_policy: 'standard', list_news: true });
  });

  it('returns the URL in normalized form', async () => {
    const made = await app.post(PATH, order({ webhook_url: ' HTTPS://LOCALHOST:443/a\u0000b ' }));
    expect(made.body.webhook_url).toBe('https://localhost/a%00b');
  });

  it.each([
    ['no identifiers', { identifiers: [] }, ['identifiers']],
    ['identifiers that are no list', { identifiers: world[0] }, ['identifiers']],
    ['an identifier that is no text', { identifiers: [world[0], 7] }, ['identifiers.1']],
    ['an identifier with a wrong check digit', { identifiers: [world[0], '11.222.333/0001-80'] }, ['identifiers.1']],
    ["another country's identifier", { identifiers: [chileanByScenario('cl-clean').rut] }, ['identifiers.0']],
    ['an identifier that is padded without end', { identifiers: [world[0], `${'.'.repeat(60)}${world[1]}`] }, ['identifiers.1']],
    ['an identifier with a NUL', { identifiers: [`${world[0]}\0`] }, ['identifiers.0']],
    ['no country', { country: undefined }, ['country']],
    ['no URL', { webhook_url: undefined }, ['webhook_url']],
    ['a URL without a host', { webhook_url: 'hook' }, ['webhook_url']],
    ['another scheme', { webhook_url: 'ftp://127.0.0.1/hook' }, ['webhook_url']],
    ['a private address', { webhook_url: 'https://10.0.0.1/hook' }, ['webhook_url']],
    ['an address of the cloud', { webhook_url: 'https://169.254.169.254/latest/meta-data/' }, ['webhook_url']],
    ['credentials in the URL', { webhook_url: 'https://user:pw@127.0.0.1/hook' }, ['webhook_url']],
    ['a URL without end', { webhook_url: `https://127.0.0.1/${'x'.repeat(2_048)}` }, ['webhook_url']],
    ['an unknown retry policy', { retry_policy: 'twice' }, ['retry_policy']],
  ])('rejects %s and stores nothing', async (_, over, fields) => {
    const before = await app.db('monitors').count();
    expect(await refusal(over)).toEqual([422, 'invalid_input', ...fields]);
    expect(await app.db('monitors').count()).toEqual(before);
  });

  it('names the first 20 wrong items of a list', async () => {
    const fields = Array.from({ length: 20 }, (_, i) => `identifiers.${i}`);
    expect(await refusal({ identifiers: Array(600).fill(null) })).toEqual([422, 'invalid_input', ...fields]);
  });

  it('rejects Colombia as an unsupported country', async () => {
    expect(await refusal({ identifiers: ['900123456-8'], country: 'CO' })).toEqual([422, 'unsupported_country', 'country']);
  });
});

describe('GET and DELETE', () => {
  it('list the active subscriptions of the key, newest first, without secrets', async () => {
    const { key } = await app.keys.create({ name: 'another', modules: ['monitor'] });
    const empty = await call(app, 'GET', PATH, key);
    expect([empty.status, empty.body]).toEqual([200, { subscriptions: [], total: 0, has_more: false, next_after: null }]);
    const made = await subscribe(app, {}, key);
    const { secret: _, ...shown } = made;
    expect((await call(app, 'GET', PATH, key)).body).toEqual({
      subscriptions: [shown],
      total: 1,
      has_more: false,
      next_after: expect.any(String),
    });
  });

  it('cancel a subscription, and return 404 for it afterwards', async () => {
    const { subscription_id: id } = await subscribe(app);
    const cancelled = await call(app, 'DELETE', `${PATH}/${id}`);
    expect([cancelled.status, cancelled.body]).toEqual([
      200,
      { subscription_id: id, status: 'cancelled', cancelled_at: isoWithOffset(now) },
    ]);
    const again = await call(app, 'DELETE', `${PATH}/${id}`);
    expect([again.status, again.body.code]).toEqual([404, 'subscription_not_found']);
  });

  it.each(['mon_00000000000000000000000000000000', 'mon_1', 'evt_00000000000000000000000000000000', '%00', "'", 'x'.repeat(100)])(
    'return 404 for %j, which names no subscription',
    async (id) => {
      const { status, body } = await call(app, 'DELETE', `${PATH}/${id}`);
      expect([status, body.code]).toEqual([404, 'subscription_not_found']);
    },
  );

  it('accept requests without a body that have a Content-Type header', async () => {
    const { subscription_id: id } = await subscribe(app);
    const headers = { 'x-api-key': app.key, 'content-type': 'application/json' };
    const listed = await app.server.inject({ method: 'GET', url: PATH, headers });
    const cancelled = await app.server.inject({ method: 'DELETE', url: `${PATH}/${id}`, headers });
    expect([listed.statusCode, cancelled.statusCode]).toEqual([200, 200]);
  });

  it('return 405 with the allowed methods for other methods', async () => {
    const put = await call(app, 'PUT', PATH);
    const one = await call(app, 'PUT', `${PATH}/mon_1`);
    expect([put.status, put.headers.allow, one.status, one.headers.allow]).toEqual([405, 'POST, GET', 405, 'GET, PATCH, DELETE']);
  });
});

describe('the module', () => {
  it('is required by each of the operations, and so is a key', async () => {
    const key = await app.keyFor('kyb');
    for (const [requestKey, code] of [
      [key, 'module_not_enabled'],
      [null, 'missing_api_key'],
    ] as const) {
      const answers = [
        await app.post(PATH, order(), requestKey),
        await call(app, 'GET', PATH, requestKey),
        await call(app, 'GET', `${PATH}/mon_1`, requestKey),
        await call(app, 'DELETE', `${PATH}/mon_1`, requestKey),
      ];
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(Array(4).fill([403, code]));
    }
  });
});
