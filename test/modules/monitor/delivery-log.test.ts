import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../src/domain/time.ts';
import { webhookService } from '../../../src/webhooks/service/webhooks.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { receiver } from '../../support/receiver.ts';
import { inFullRun } from '../../support/rounds.ts';
import { call, data, PATH, publishChanges, stranger, subscribe } from './api-requests.ts';
import { cnpj } from './support.ts';

let now = Date.parse('2026-11-21T10:00:00Z');
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ now: () => now, env: { QUIPU_OUTBOUND_ALLOW: '127.0.0.1/32' } });
});
afterAll(() => app.close());

interface Listed {
  readonly delivery_id: string;
  readonly event_id: string;
  readonly status: string;
  readonly attempts: readonly Readonly<Record<string, unknown>>[];
}

/** All deliveries of a monitor in a state (any without one), read in pages. */
async function list(id: string, status?: string): Promise<readonly Listed[]> {
  const all: Listed[] = [];
  for (let more = true; more; ) {
    const query = new URLSearchParams({ ...(status && { status }), ...(all.length > 0 && { after: all.at(-1)?.delivery_id ?? '' }) });
    const { status: code, body } = await call(app, 'GET', `${PATH}/${id}/deliveries?${query}`);
    expect(code).toBe(200);
    all.push(...body.deliveries);
    more = body.has_more;
  }
  return all;
}

async function drain(): Promise<void> {
  await app.open(webhookService).sender.sendDue();
  await expect.poll(() => app.db('deliveries').whereIn('state', ['pending', 'sending']).select('id'), { timeout: 240_000 }).toEqual([]);
}

/** Of each kind of answer; 100 failures in a row would disable a monitor. */
const MONITORS = inFullRun(10, 2);
const COMPANIES = inFullRun(25, 5);
const ALL = 4 * MONITORS * COMPANIES;
const AGAIN = inFullRun(100, 10);

it(`WH-07 ${ALL} deliveries are listed by their owner alone, with every field and by state; ${AGAIN} are sent again; all are gone after 31 days`, async () => {
  const replies: readonly [number, string][] = [
    [200, 'thanks'],
    [500, 'x'.repeat(5_000)],
    [404, ''],
  ];
  const receivers = await Promise.all(replies.map(([status, text]) => receiver((response) => response.writeHead(status).end(text))));
  const first = { number: 1, started_at: '2026-11-21T10:00:00+00:00', latency_ms: expect.any(Number) };
  const kinds = [
    { status: 'delivered', attempts: [{ ...first, status: 200, error: null, answer: 'thanks' }] },
    { status: 'failed', attempts: [{ ...first, status: 500, error: 'http_status', answer: 'x'.repeat(1_024) }] },
    { status: 'failed', attempts: [{ ...first, status: 404, error: 'http_status', answer: '' }] },
    { status: 'failed', attempts: [{ ...first, status: null, error: 'connection', answer: null }] },
  ].map((expected, i) => ({ expected, url: receivers[i]?.url ?? 'http://127.0.0.1:1/', ids: [] as string[] }));
  const identifiers = Array.from({ length: COMPANIES }, (_, n) => cnpj(n));
  for (const { url, ids } of kinds)
    for (let n = 0; n < MONITORS; n += 1) ids.push((await subscribe(app, { identifiers, webhook_url: url })).subscription_id);
  await publishChanges(app, identifiers, { at: now });
  await drain();

  const listed: Listed[] = [];
  for (const { expected, ids } of kinds)
    for (const id of ids) {
      const log = await list(id);
      expect(log).toMatchObject(Array(COMPANIES).fill(expected));
      expect(await list(id, 'failed')).toEqual(expected.status === 'failed' ? log : []);
      listed.push(...log);
    }
  expect(new Set(listed.map(({ delivery_id: id }) => id)).size).toBe(ALL);
  const [, refusing] = kinds;
  const other = await stranger(app);
  for (const id of kinds.flatMap(({ ids }) => ids)) expect((await call(app, 'GET', `${PATH}/${id}/deliveries`, other)).status).toBe(404);

  const REDELIVER = 'mutation ($id: ID!) { redeliver(input: { deliveryId: $id }) { delivery { id } } }';
  const again = listed.filter(({ attempts: [attempt] }) => attempt?.status === 500).slice(0, AGAIN);
  for (const { delivery_id: id } of again) {
    now += MINUTE_MS / 25; // 30 a minute are allowed
    await data(app, REDELIVER, { id });
  }
  await drain();
  const received = receivers[1]?.received ?? [];
  const resent = received.slice(MONITORS * COMPANIES);
  expect(resent.map(({ headers }) => headers['webhook-id']).sort()).toEqual(again.map(({ event_id }) => event_id).sort());
  for (const { headers, body } of resent) {
    const before = received.find((one) => one.headers['webhook-id'] === headers['webhook-id']);
    expect(body).toBe(before?.body);
    expect(headers['user-agent']).toMatch(/^Quipu-Webhooks\/\d/);
    expect(Number(headers['webhook-timestamp'])).toBeGreaterThan(Number(before?.headers['webhook-timestamp']));
  }
  const attempts = (await Promise.all((refusing?.ids ?? []).map((id) => list(id)))).flat().map((delivery) => delivery.attempts.length);
  expect(attempts.filter((count) => count === 2)).toHaveLength(AGAIN);

  now += 31 * DAY_MS;
  await app.open(webhookService).purge();
  for (const id of kinds.flatMap(({ ids }) => ids)) expect(await list(id)).toEqual([]);
  expect(await app.db('delivery_attempts')).toEqual([]);
}, 600_000);
