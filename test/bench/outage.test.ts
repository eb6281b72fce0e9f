import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf, recordedIds } from '../../bench/outage/accounting.ts';
import { type Sent, steadily } from '../../bench/outage/steady.ts';
import { testDb } from '../support/db.ts';
import { upstream } from '../support/upstream.ts';

const toUpstream = (url: string) => ({ url, headers: { 'content-type': 'application/json' }, body: '{}' });
const QUICKLY = { missingMs: 0, settleMs: 0 };

describe('a steady stream of requests', () => {
  it('sends at its rate although no request is answered until the end', async () => {
    const silent = Promise.withResolvers<void>();
    const server = await upstream(
      () => (_, response) => void silent.promise.then(() => response.writeHead(200, { 'x-request-id': 'one' }).end()),
    );
    const stream = steadily(toUpstream(server.url), 200);
    await expect.poll(() => server.open()).toBeGreaterThan(20);
    const ended = stream.end();
    silent.resolve();
    const sent = await ended;
    expect(sent.length).toBe(server.asked.length);
    expect(new Set(sent.map(({ status, id }) => `${status} ${id}`))).toEqual(new Set(['200 one']));
  });

  it('keeps refusals, and requests whose connection breaks, with the time at which they were sent', async () => {
    const server = await upstream((_, nth) => (nth % 2 === 0 ? { status: 503, body: {} } : (request) => void request.destroy()));
    const stream = steadily(toUpstream(server.url), 100);
    await expect.poll(() => server.asked.length).toBeGreaterThan(4);
    const sent = await stream.end();
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([503, null]));
    expect(sent.map(({ at }) => at)).toEqual(sent.map(({ at }) => at).toSorted((a, b) => a - b));
  });
});

describe('the accounts of answers and usage', () => {
  let db: Awaited<ReturnType<typeof testDb>>;
  beforeAll(async () => {
    db = await testDb();
  });
  afterAll(() => db.close());

  const record = (requestId: string, quantity = 1) =>
    db.knex('usage_events').insert({
      id: db.knex.raw('gen_random_uuid()'),
      key_id: '00000000-0000-4000-8000-000000000000',
      module: 'kyb',
      month: '2026-11-01',
      at: new Date(0),
      request_id: requestId,
      quantity,
    });
  const answer = (id: string | null, status: number | null = 200): Sent => ({ at: 0, ms: 1, status, id });

  it('tell answers that are not counted, those that are counted twice, and usage without an answer', async () => {
    await record('earlier');
    const earlier = await recordedIds(db.url, 'usage_events');
    for (const id of ['counted', 'twice', 'twice', 'refused']) await record(id);
    const sent = [answer('counted'), answer('twice'), answer('uncounted'), answer(null), answer('refused', 503), answer(null, null)];
    expect(await accountsOf(db.url, 'usage_events', sent, earlier, QUICKLY)).toEqual({
      answers: 4,
      uncounted: 2,
      countedTwice: 1,
      countedUnanswered: 1,
    });
  });

  it('wait for usage that arrives late', async () => {
    const earlier = await recordedIds(db.url, 'usage_events');
    const accounts = accountsOf(db.url, 'usage_events', [answer('late')], earlier, { missingMs: 30_000, settleMs: 0 });
    await record('late');
    expect(await accounts).toMatchObject({ answers: 1, uncounted: 0, countedUnanswered: 0 });
  });
});
