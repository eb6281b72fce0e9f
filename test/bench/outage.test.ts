import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf, recordedQuantity } from '../../bench/outage/accounting.ts';
import { type Sent, steadily } from '../../bench/outage/steady.ts';
import { testDb } from '../support/db.ts';
import { upstream } from '../support/upstream.ts';

const toUpstream = (url: string) => ({ url, headers: { 'content-type': 'application/json' }, body: '{}' });
const QUICKLY = { missingMs: 0, settleMs: 0 };

describe('a steady stream of requests', () => {
  it('sends at its rate although no request is answered until the end', async () => {
    const silent = Promise.withResolvers<void>();
    const server = await upstream(() => (_, response) => void silent.promise.then(() => response.writeHead(200).end()));
    const stream = steadily(toUpstream(server.url), 200);
    await expect.poll(() => server.open()).toBeGreaterThan(20);
    const ended = stream.end();
    silent.resolve();
    const sent = await ended;
    expect(sent.length).toBe(server.asked.length);
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]));
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

  const record = (quantity: number) =>
    db.knex('usage_events').insert({
      id: db.knex.raw('gen_random_uuid()'),
      key_id: '00000000-0000-4000-8000-000000000000',
      module: 'kyb',
      month: '2026-11-01',
      at: new Date(0),
      request_id: 'one',
      quantity,
    });
  const answer = (status: number | null): Sent => ({ at: 0, ms: 1, status });
  const [counted, refused, broken] = [answer(200), answer(503), answer(null)];

  it.each([
    { recorded: [1, 1], uncounted: 0, countedUnanswered: 0, countedTwice: 0 },
    { recorded: [1], uncounted: 1, countedUnanswered: 0, countedTwice: 0 },
    { recorded: [3], uncounted: 0, countedUnanswered: 1, countedTwice: 0 },
    { recorded: [3, 2], uncounted: 0, countedUnanswered: 2, countedTwice: 1 },
  ])('of two answers, a refusal and a broken request, and the recorded quantities $recorded', async ({ recorded, ...accounts }) => {
    await record(7);
    const earlier = await recordedQuantity(db.url, 'usage_events');
    for (const quantity of recorded) await record(quantity);
    const sent = [counted, refused, counted, broken];
    expect(await accountsOf(db.url, 'usage_events', sent, earlier, QUICKLY)).toEqual({ answers: 2, ...accounts });
  });

  it('wait for usage that arrives late', async () => {
    const earlier = await recordedQuantity(db.url, 'usage_events');
    const accounts = accountsOf(db.url, 'usage_events', [counted], earlier, { missingMs: 30_000, settleMs: 0 });
    await record(1);
    expect(await accounts).toMatchObject({ answers: 1, uncounted: 0, countedUnanswered: 0 });
  });
});
