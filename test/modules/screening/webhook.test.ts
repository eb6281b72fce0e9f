import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { fromPublicId } from '../../../src/domain/public-ids.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/time.ts';
import { screeningService } from '../../../src/modules/screening/service/screening.ts';
import { webhookService } from '../../../src/webhooks/service/webhooks.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { dnsServer } from '../../support/dns-server.ts';
import { receiver } from '../../support/receiver.ts';
import { START, work } from './support.ts';

const clock = { now: Date.now() };
let app: TestApp;
let stranger: string;
beforeAll(async () => {
  app = await testApp({ now: () => clock.now, env: { QUIPU_OUTBOUND_ALLOW: '127.0.0.1/32' } });
  stranger = (await app.keys.create({ name: 'stranger', modules: ['screening'] })).key;
});
afterAll(() => app.close());
beforeEach(() => {
  clock.now += 30_000; // a key may start ten screenings a minute
});

const identifiers = [companyByScenario('clean').cnpj, 'hello'];
const start = async (webhook_url: string) => (await app.post(START, { identifiers, name: 'suppliers', webhook_url })).body;
const get = async (path: string, key = app.key) => {
  const { statusCode, body } = await app.server.inject({ url: `${START}/${path}`, headers: { 'x-api-key': key } });
  return { status: statusCode, body: JSON.parse(body) };
};
const find = async (id: string) => (await get(id)).body;
const deliveriesOf = async (id: string) => (await get(`${id}/deliveries`)).body.deliveries;
const uuid = (id: string): string => fromPublicId('screening', id) ?? '';

/** Sends what is due, as a worker does. */
async function send(): Promise<void> {
  await app.open(webhookService).sender.sendDue();
  const due = () => app.db('deliveries').whereIn('state', ['pending', 'sending']).where('due_at', '<=', new Date(clock.now)).pluck('id');
  await expect.poll(due).toEqual([]);
}

describe('the host of a webhook that resolves slowly', () => {
  it('keeps no other account waiting', async () => {
    const dns = await dnsServer(() => 'silence');
    const slow = await testApp({ env: { QUIPU_DNS_SERVERS: dns.address }, listsTried: false });
    onTestFinished(() => slow.close());
    const keys = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => {
        await slow.db('accounts').insert({ name, created_at: new Date() });
        return (await slow.keys.create({ name, account: name, modules: ['screening', 'kyb'] })).key;
      }),
    );
    const isOver = [false, false];
    const waiting = keys.slice(0, 2).map(async (key, i) => {
      await slow.post(START, { identifiers, modules: ['kyb'], webhook_url: `https://slow-${i}.example.com/hook` }, key);
      isOver[i] = true;
    });
    await expect.poll(() => new Set(dns.asked.map(({ name }) => name)).size).toBe(2);
    expect((await slow.post(START, { identifiers, modules: ['kyb'] }, keys[2])).status).toBe(200);
    expect(isOver).toEqual([false, false]);
    await Promise.all(waiting);
  });
});

/** A screening that is done, and whose webhook was sent once. */
async function ended(answer?: Parameters<typeof receiver>[0]) {
  const { url, received } = await receiver(answer);
  const { screening_id: id, secret } = await start(url);
  await work(app);
  await send();
  return { id, secret, received };
}

describe('the webhook of a screening', () => {
  it('is published when the screening is done, and sent once, signed', async () => {
    const { url, received } = await receiver();
    const { screening_id: id, secret, webhook_url } = await start(url);
    expect([webhook_url, await deliveriesOf(id)]).toEqual([url, []]);
    await work(app);
    await send();
    await send();
    expect(received).toHaveLength(1);
    const [request] = received;
    const { finished_at } = await find(id);
    expect(request?.body).toBe(
      `{"id":"${id}","type":"screening.done","timestamp":"${finished_at}","data":{"screening_id":"${id}","name":"suppliers","state":"done","total":1,"done":1,"failed":0,"invalid":1,"duplicates":0}}`,
    );
    const { 'webhook-id': eventId = '', 'webhook-timestamp': at, 'webhook-signature': signature } = request?.headers ?? {};
    expect([eventId, signature]).toEqual([id, new Webhook(secret).sign(id, new Date(Number(at) * 1_000), request?.body ?? '')]);
    expect(await find(id)).toMatchObject({ webhook_delivered_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/), webhook_error: null });
  });

  it('is sent again after a failure, with the same id, ten times in about 75 hours', async () => {
    const { id, received } = await ended((response) => response.writeHead(500).end());
    expect(await find(id)).toMatchObject({ webhook_delivered_at: null, webhook_error: 'http_status 500' });
    const began = clock.now;
    for (let [delivery] = await deliveriesOf(id); delivery.next_attempt_at !== null; [delivery] = await deliveriesOf(id)) {
      clock.now = Date.parse(delivery.next_attempt_at) + SECOND_MS;
      await send();
    }
    expect(received).toHaveLength(10);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
    expect((clock.now - began) / HOUR_MS).toBeCloseTo(0.8 * 75, -1); // the test has the shortest waits of the jitter
    const [delivery] = await deliveriesOf(id);
    expect(delivery).toMatchObject({ status: 'failed', settled_at: expect.any(String) });
  });

  it('waits for the Retry-After of its receiver', async () => {
    const { id, received } = await ended((response, nth) => response.writeHead(nth === 1 ? 503 : 204, { 'retry-after': '9' }).end());
    clock.now += 8 * SECOND_MS;
    await send();
    expect(received).toHaveLength(1);
    clock.now += 2 * SECOND_MS;
    await send();
    expect(received).toHaveLength(2);
    expect(await find(id)).toMatchObject({ webhook_delivered_at: expect.any(String), webhook_error: null });
  });

  it('is not sent again after 410', async () => {
    const { id, received } = await ended((response) => response.writeHead(410).end());
    clock.now += 80 * HOUR_MS;
    await send();
    expect(received).toHaveLength(1);
    expect(await find(id)).toMatchObject({ webhook_delivered_at: null, webhook_error: 'http_status 410' });
  });

  it('has a log of its attempts, for its owner alone, in both APIs', async () => {
    const { id } = await ended((response, nth) => response.writeHead(nth === 1 ? 500 : 204).end(nth === 1 ? 'try later' : undefined));
    clock.now += MINUTE_MS;
    await send();
    const failed = { number: 1, status: 500, error: 'http_status', answer: 'try later' };
    const [delivery] = await deliveriesOf(id);
    expect(delivery).toMatchObject({ event_id: id, test: false, status: 'delivered', next_attempt_at: null });
    expect(delivery.attempts).toEqual([
      { ...failed, started_at: expect.any(String), latency_ms: expect.any(Number) },
      { number: 2, status: 204, error: null, answer: '', started_at: expect.any(String), latency_ms: expect.any(Number) },
    ]);
    expect((await get(`${id}/deliveries`, stranger)).status).toBe(404);

    const document =
      'query ($id: ID!) { screening(id: $id) { deliveries { id eventId status settledAt attempts { number status error answer } } } }';
    const { deliveries } = (await app.query(document, { id })).body.data.screening;
    expect(deliveries).toMatchObject([
      { id: delivery.delivery_id, eventId: id, status: 'DELIVERED', attempts: [failed, { number: 2, status: 204 }] },
    ]);
    expect((await app.query(document, { id }, stranger)).body.data.screening).toBeNull();
    const node = 'query ($id: ID!) { node(id: $id) { __typename } }';
    expect((await app.query(node, { id: delivery.delivery_id })).body.data.node).toBeNull();
  });

  it('is sent again on request, with the same id, in both APIs', async () => {
    const { id, received } = await ended((response, nth) => response.writeHead(nth === 1 ? 410 : 204).end());
    const { status, body } = await app.post(`${START}/${id}/redeliver`, {});
    expect([status, body]).toMatchObject([200, { event_id: id, status: 'pending', attempts: [{ number: 1, status: 410 }] }]);
    await send();
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
    const document = 'mutation ($id: ID!) { redeliverScreening(input: { id: $id }) { screening { deliveries { id status } } } }';
    const { redeliverScreening } = (await app.query(document, { id })).body.data;
    expect(redeliverScreening.screening.deliveries).toEqual([{ id: body.delivery_id, status: 'PENDING' }]);
    await send();
    expect(received).toHaveLength(3);
    expect(received.map((request) => request.body)).toEqual(Array(3).fill(received[0]?.body));
  });

  it('is not sent again for another key, before its end, or without a URL', async () => {
    const { url } = await receiver();
    const { screening_id: id } = await start(url);
    const { body: without } = await app.post(START, { identifiers });
    expect((await app.post(`${START}/${id}/redeliver`, {}, stranger)).body.code).toBe('screening_not_found');
    expect((await app.post(`${START}/${id}/redeliver`, {})).body).toMatchObject({
      code: 'invalid_input',
      detail: expect.stringContaining('done'),
    });
    await work(app);
    const answer = await app.post(`${START}/${without.screening_id}/redeliver`, {});
    expect(answer.body).toMatchObject({ code: 'invalid_input', detail: expect.stringContaining('no webhook') });
    await send();
  });

  it('is signed with the old and the new secret after a rotation', async () => {
    const { id, secret, received } = await ended();
    const { body } = await app.post(`${START}/${id}/rotate`, {});
    expect(body).toEqual({ screening_id: id, secret: expect.stringMatching(/^whsec_/), old_secret_valid_until: expect.any(String) });
    expect(Date.parse(body.old_secret_valid_until) - clock.now).toBeLessThanOrEqual(24 * HOUR_MS);
    await app.post(`${START}/${id}/redeliver`, {});
    await send();
    const { headers, body: sent } = received[1] ?? { headers: {} as Record<string, string>, body: '' };
    const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
    expect(headers['webhook-signature']).toBe([body.secret, secret].map((one) => new Webhook(one).sign(id, at, sent)).join(' '));
    const document = 'mutation ($id: ID!) { rotateScreeningSecret(input: { id: $id }) { secret oldSecretValidUntil screening { id } } }';
    const { rotateScreeningSecret } = (await app.query(document, { id })).body.data;
    expect(rotateScreeningSecret).toEqual({
      secret: expect.stringMatching(/^whsec_/),
      oldSecretValidUntil: expect.any(String),
      screening: { id },
    });
  });

  it('is not sent of a screening that was cancelled, or has none', async () => {
    const { url, received } = await receiver();
    const { screening_id: cancelled } = await start(url);
    await app.server.inject({ method: 'DELETE', url: `${START}/${cancelled}`, headers: { 'x-api-key': app.key } });
    const { body: without } = await app.post(START, { identifiers });
    await work(app);
    await send();
    for (const id of [cancelled, without.screening_id]) expect(await deliveriesOf(id)).toEqual([]);
    expect([received.length, without.secret, without.webhook_url]).toEqual([0, undefined, null]);
  });

  it('is published at once of a portfolio without companies', async () => {
    const { url, received } = await receiver();
    await app.post(START, { identifiers: ['hello'], webhook_url: url });
    await send();
    expect(received).toHaveLength(1);
  });

  it('is dropped with its screening', async () => {
    const { id } = await ended((response) => response.writeHead(500).end());
    await app
      .db('screenings')
      .where({ id: uuid(id) })
      .update({ finished_at: new Date(0) });
    await app.open(screeningService).purge();
    const of = { monitor_id: uuid(id) };
    expect([await app.db('webhook_endpoints').where({ id: uuid(id) }), await app.db('endpoint_partitions').where(of)]).toEqual([[], []]);
    expect(await app.db('deliveries').where(of).pluck('state')).toEqual(['dropped']);
  });

  it.each(['nonsense', 'http://10.0.0.1/hook', 'ftp://example.com/'])('refuses %s, in both APIs', async (url) => {
    const { status, body } = await app.post(START, { identifiers, webhook_url: url });
    expect([status, body.code]).toEqual([422, 'invalid_input']);
    const document = 'mutation ($input: StartScreeningInput!) { startScreening(input: $input) { secret } }';
    const { errors } = (await app.query(document, { input: { identifiers, webhookUrl: url } })).body;
    expect(errors[0].extensions.code).toMatch(/INVALID_INPUT|BAD_USER_INPUT/);
  });

  it('is started over GraphQL with its secret', async () => {
    const document =
      'mutation ($input: StartScreeningInput!) { startScreening(input: $input) { secret screening { webhookUrl webhookDeliveredAt webhookError } } }';
    const { url } = await receiver();
    const { startScreening } = (await app.query(document, { input: { identifiers, webhookUrl: url } })).body.data;
    expect(startScreening).toEqual({
      secret: expect.stringMatching(/^whsec_/),
      screening: { webhookUrl: url, webhookDeliveredAt: null, webhookError: null },
    });
  });
});

describe('beside a process of the release before, the webhook of a screening', () => {
  const complete = (id: string) => app.open(screeningService).handover.complete(uuid(id));

  it('is published when that process has ended the screening and has not sent it', async () => {
    const { url, received } = await receiver();
    const { screening_id: id } = await start(url);
    await app
      .db('screenings')
      .where({ id: uuid(id) })
      .update({ state: 'done', finished_at: new Date(clock.now) });
    await complete(id);
    await complete(id);
    await send();
    expect(received).toHaveLength(1);
  });

  it('is not sent again when that process has sent it', async () => {
    const { url, received } = await receiver();
    const { screening_id: id } = await start(url);
    const sent = { state: 'done', finished_at: new Date(clock.now), webhook_delivered_at: new Date(clock.now) };
    await app
      .db('screenings')
      .where({ id: uuid(id) })
      .update(sent);
    await complete(id);
    await send();
    expect(received).toEqual([]);
    expect(await find(id)).toMatchObject({ webhook_delivered_at: expect.any(String), webhook_error: null });
  });

  it('is sent when that process has dropped it, and checked again a minute later', async () => {
    const { url, received } = await receiver();
    const { screening_id: id } = await start(url);
    await work(app);
    await app
      .db('deliveries')
      .where({ monitor_id: uuid(id) })
      .update({ state: 'dropped', due_at: null, settled_at: new Date(clock.now) });
    await complete(id);
    await send();
    expect(received).toHaveLength(1);
    const { rows } = await app.db.raw('SELECT run_at FROM graphile_worker.jobs WHERE key = ?', [`screening.check_published:${uuid(id)}`]);
    expect(rows).toEqual([{ run_at: new Date(clock.now + MINUTE_MS) }]);
  });
});
