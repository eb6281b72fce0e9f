import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { fromPublicId } from '../../../src/domain/public-ids.ts';
import { screeningService } from '../../../src/modules/screening/service/screening.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { receiver } from '../../support/receiver.ts';
import { START, work } from './support.ts';

/** Ahead of the process by some minutes at most: receivers refuse older signatures. */
const clock = { now: Date.now() };
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ now: () => clock.now, env: { QUIPU_OUTBOUND_ALLOW: '127.0.0.1/32' } });
});
afterAll(() => app.close());
beforeEach(() => {
  clock.now += 30_000; // a key may start ten screenings a minute
});

const identifiers = [companyByScenario('clean').cnpj, 'hello'];
const start = async (webhook_url: string) => (await app.post(START, { identifiers, name: 'suppliers', webhook_url })).body;
const find = async (id: string) => (await app.server.inject({ url: `${START}/${id}`, headers: { 'x-api-key': app.key } })).json();
const notify = (id: string, signal = new AbortController().signal) =>
  app.open(screeningService).notifier.notify(fromPublicId('screening', id) ?? '', signal);
/** When the queue sends the webhook of a screening, epoch ms; null for never. */
async function queuedAt(id: string): Promise<number | null> {
  const { rows } = await app.db.raw('SELECT run_at FROM graphile_worker.jobs WHERE key = ?', [
    `screening.notify:${fromPublicId('screening', id)}`,
  ]);
  return rows[0]?.run_at.getTime() ?? null;
}

describe('the webhook of a screening', () => {
  it('is queued when the screening is done, and sent once, signed', async () => {
    const { url, received } = await receiver();
    const { screening_id: id, secret, webhook_url } = await start(url);
    expect([webhook_url, await queuedAt(id)]).toEqual([url, null]);
    await work(app);
    expect(await queuedAt(id)).not.toBeNull();
    await notify(id);
    await notify(id);
    expect(received).toHaveLength(1);
    const [request] = received;
    expect(new Webhook(secret).verify(String(request?.body), request?.headers ?? {})).toEqual({
      id,
      type: 'screening.done',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      data: { screening_id: id, name: 'suppliers', state: 'done', total: 1, done: 1, failed: 0, invalid: 1, duplicates: 0 },
    });
    expect(await find(id)).toMatchObject({ webhook_delivered_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/), webhook_error: null });
  });

  it('is sent again after a failure, with the same id, and given up after seven attempts', async () => {
    const { url, received } = await receiver((response) => response.writeHead(500).end());
    const { screening_id: id } = await start(url);
    await work(app);
    const waits: (number | null)[] = [];
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      await app.db.raw('SELECT graphile_worker.remove_job(?)', [`screening.notify:${fromPublicId('screening', id)}`]);
      await notify(id);
      const at = await queuedAt(id);
      waits.push(at && at - clock.now);
    }
    expect(waits).toEqual([10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, null]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
    expect(await find(id)).toMatchObject({ webhook_delivered_at: null, webhook_error: 'http_status 500' });
  });

  it('is not sent of a screening that was cancelled, or has none', async () => {
    const { url, received } = await receiver();
    const { screening_id: cancelled } = await start(url);
    await app.server.inject({ method: 'DELETE', url: `${START}/${cancelled}`, headers: { 'x-api-key': app.key } });
    const { body: without } = await app.post(START, { identifiers });
    await work(app);
    for (const id of [cancelled, without.screening_id]) {
      await notify(id);
      expect(await queuedAt(id)).toBeNull();
    }
    expect([received.length, without.secret, without.webhook_url]).toEqual([0, undefined, null]);
  });

  it('is queued at once of a portfolio without companies', async () => {
    const { body } = await app.post(START, { identifiers: ['hello'], webhook_url: (await receiver()).url });
    expect(await queuedAt(body.screening_id)).not.toBeNull();
  });

  it('stays in the queue when the process stops meanwhile', async () => {
    const { url } = await receiver();
    const { screening_id: id } = await start(url);
    await work(app);
    await expect(notify(id, AbortSignal.abort())).rejects.toThrow('stops');
    expect(await find(id)).toMatchObject({ webhook_delivered_at: null, webhook_error: null });
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
