import { describe, expect, it } from 'vitest';
import { toPublicId } from '../../../../src/domain/public-ids.ts';
import { receiver, setup, taxIdOf } from './support.ts';

const several = (n: number): readonly string[] => Array.from({ length: n }, (_, i) => taxIdOf(i));
const STRANGE = '00000000-0000-4000-8000-000000000000';

describe('WH-07 the log of deliveries', () => {
  it('has every attempt with its status, its duration, its error and the first KiB of the response', async () => {
    const { db, monitor, change, drain } = await setup();
    const answers: readonly [number, string][] = [
      [200, 'thanks'],
      [500, `\0é${'x'.repeat(5_000)}`],
      [404, ''],
    ];
    for (const [status, text] of answers) {
      const { url } = await receiver((_, response) => void response.writeHead(status).end(text));
      await monitor(url, { taxIds: several(30) });
    }
    await monitor('http://127.0.0.1:1/', { taxIds: several(10) });
    await change(several(30));
    await drain();
    const rows = await db('delivery_attempts').select('status', 'error', 'answer', 'latency_ms', 'number');
    expect(rows).toHaveLength(100);
    for (const { latency_ms, number } of rows) expect([typeof latency_ms, number]).toEqual(['number', 1]);
    const kinds = new Set(rows.map(({ status, error, answer }) => JSON.stringify([status, error, answer])));
    expect(kinds).toEqual(
      new Set(
        [
          [200, null, 'thanks'],
          [500, 'http_status', `\uFFFDé${'x'.repeat(1_021)}`],
          [404, 'http_status', ''],
          [null, 'connection', null],
        ].map((one) => JSON.stringify(one)),
      ),
    );
  });

  it('allows to redeliver a failed delivery with the same id and a new timestamp', async () => {
    const clock = { time: Date.now() };
    const { db, redelivery, keyId, monitor, change, drain } = await setup({ now: () => clock.time });
    const { url, received } = await receiver((_, response) => void response.writeHead(received.length > 100 ? 200 : 500).end());
    for (let n = 0; n < 2; n += 1) await monitor(url, { taxIds: several(50) });
    await change(several(50));
    await drain();
    const ids = await db('deliveries').where({ state: 'failed' }).orderBy('revision').pluck('id');
    expect(ids).toHaveLength(100);
    clock.time += 60_000;
    for (const id of ids) await redelivery.redeliver({ keyId, id });
    await drain();
    expect(received).toHaveLength(200);
    const [first, again] = [received.slice(0, 100), received.slice(100)].map(
      (part) => new Map(part.map((one) => [one.headers['webhook-id'], one])),
    );
    expect(again?.size).toBe(100);
    for (const [id, { body, headers }] of again ?? []) {
      expect(first?.get(id)?.body).toBe(body);
      expect(Number(headers['webhook-timestamp']) - Number(first?.get(id)?.headers['webhook-timestamp'])).toBe(60);
    }
    expect(await db('deliveries').distinct('state', 'attempts')).toEqual([{ state: 'delivered', attempts: 2 }]);
  }, 60_000);

  it('allows to redeliver a delivered or dropped delivery, and leaves a pending one unchanged', async () => {
    const { db, redelivery, keyId, monitor, change, drain } = await setup();
    const { url, received } = await receiver();
    await monitor(url);
    await change([taxIdOf(1)]);
    const { id } = await db('deliveries').first('id');
    const before = await db('deliveries').first();
    await redelivery.redeliver({ keyId, id });
    expect(await db('deliveries').first()).toEqual(before);
    await drain();
    await redelivery.redeliver({ keyId, id });
    await drain();
    await db('deliveries').update({ state: 'dropped' });
    await redelivery.redeliver({ keyId, id });
    await drain();
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(Array(3).fill(received[0]?.headers['webhook-id']));
    expect(await db('delivery_attempts').orderBy('number').pluck('number')).toEqual([1, 2, 3]);
  });

  it('rejects redeliveries, test events and replays of another key', async () => {
    const { db, redelivery, newKey, keyId, monitor, change, drain } = await setup();
    const { url, received } = await receiver();
    const { id } = await monitor(url);
    await change([taxIdOf(1)]);
    await drain();
    const { id: delivery } = await db('deliveries').first('id');
    const other = await newKey();
    const unknown = { delivery: { code: 'DELIVERY_NOT_FOUND' }, monitor: { code: 'MONITOR_NOT_FOUND' } };
    await expect(redelivery.redeliver({ keyId: other, id: delivery })).rejects.toMatchObject(unknown.delivery);
    await expect(redelivery.redeliver({ keyId, id: STRANGE })).rejects.toMatchObject(unknown.delivery);
    await expect(redelivery.sendTest({ keyId: other, id })).rejects.toMatchObject(unknown.monitor);
    await expect(redelivery.replay({ keyId: other, id }, 0)).rejects.toMatchObject(unknown.monitor);
    await drain();
    expect(received).toHaveLength(1);
  });
});

describe('a test event', () => {
  it('is delivered with no changed fields', async () => {
    const { db, redelivery, keyId, monitor, drain } = await setup({ now: () => Date.parse('2026-11-21T10:00:00Z') });
    const { url, received } = await receiver();
    const { id } = await monitor(url, { taxIds: [taxIdOf(7), taxIdOf(3)] });
    const delivery = await redelivery.sendTest({ keyId, id });
    await drain();
    expect(received.map(({ body }) => JSON.parse(body))).toEqual([
      {
        subscription_id: toPublicId('monitor', id),
        identifier: taxIdOf(7),
        country: 'BR',
        changed_fields: {},
        detected_at: '2026-11-21T10:00:00+00:00',
      },
    ]);
    expect(await db('deliveries').first()).toMatchObject({ id: delivery, change_id: null, state: 'delivered' });
    expect(received[0]?.headers['webhook-id']).toMatch(/^evt_[0-9a-f]{32}$/);
  });

  it.each([
    ['cancelled_at', /cancelled/],
    ['disabled_at', /enable it first/],
  ])('is rejected for a monitor that has %s, and so are redeliveries and replays', async (column, sentence) => {
    const { db, redelivery, keyId, monitor, change, drain } = await setup();
    const { id } = await monitor((await receiver()).url);
    await change([taxIdOf(1)]);
    await drain();
    const { id: delivery } = await db('deliveries').first('id');
    await db(column === 'disabled_at' ? 'webhook_endpoints' : 'monitors').update({ [column]: new Date() });
    for (const ask of [
      () => redelivery.sendTest({ keyId, id }),
      () => redelivery.redeliver({ keyId, id: delivery }),
      () => redelivery.replay({ keyId, id }, 0),
    ]) {
      await expect(ask()).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringMatching(sentence) });
    }
  });
});

describe('a replay', () => {
  it('sends all changes after a position again, in their order and with the same ids', async () => {
    const { db, redelivery, keyId, monitor, change, drain } = await setup();
    const { url, received } = await receiver();
    const { id } = await monitor(url);
    for (let step = 1; step <= 5; step += 1) await change([taxIdOf(1)], [{ field: 'size', from: null, to: String(step) }]);
    await drain();
    const { position } = await db('changes').orderBy('position').offset(1).first('position');
    await db('deliveries').where('event_id', received[3]?.headers['webhook-id']).delete(); // a change without a delivery
    expect(await redelivery.replay({ keyId, id }, Number(position))).toBe(3);
    await drain();
    const sent = received.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body).changed_fields.size.to]);
    expect(sent.slice(5)).toEqual(sent.slice(2, 5));
    expect(sent.slice(5).map(([, to]) => to)).toEqual(['3', '4', '5']);
  });

  it('covers one monitor, without the list changes that its webhook excludes', async () => {
    const { redelivery, keyId, monitor, change, drain } = await setup();
    const { url, received } = await receiver();
    const { id } = await monitor(url);
    await monitor((await receiver()).url);
    await change([taxIdOf(1)], [{ field: 'sanctions', from: '0', to: '1', list: 'OFAC_SDN' }]);
    await change([taxIdOf(1)]);
    await drain();
    expect(await redelivery.replay({ keyId, id }, 0)).toBe(1);
    await drain();
    expect(received).toHaveLength(2);
  });

  it('is rejected for a position before the start of the log', async () => {
    const { db, redelivery, keyId, monitor, change } = await setup();
    const { id } = await monitor('http://127.0.0.1:1/');
    await change([taxIdOf(1)]);
    await db('log_heads').where({ stream: 'changes' }).update({ kept_from: 2 });
    await expect(redelivery.replay({ keyId, id }, 0)).rejects.toMatchObject({ code: 'CURSOR_TOO_OLD' });
    expect(await redelivery.replay({ keyId, id }, 1)).toBe(0);
  });
});
