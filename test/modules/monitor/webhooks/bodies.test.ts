import { describe, expect, it } from 'vitest';
import { type FieldChange, LIST_FIELDS, REGISTRY_FIELDS } from '../../../../src/modules/monitor/domain/change.ts';
import { changeLog } from '../support.ts';
import { receiver, setup, taxIdOf } from './support.ts';

const CHANGES: readonly FieldChange[] = [
  { field: 'status', from: 'active', to: 'closed' },
  { field: 'size', from: null, to: 'small' },
  { field: 'activity', from: '6201-5/01 Desenvolvimento de programas', to: 'x'.repeat(1_000) },
];

describe('WH-03 a body', () => {
  it.each([...CHANGES.map((one) => [one.field, [one]] as const), ['all three', CHANGES] as const])(
    'has exactly the five documented members: %s',
    async (_, fields) => {
      const { monitor, change, drain } = await setup({ now: () => Date.parse('2026-11-21T10:00:00.123Z') });
      const { url, received } = await receiver();
      const { id } = await monitor(url);
      await change([taxIdOf(1)], fields);
      await drain();
      expect(received).toHaveLength(1);
      const { body, headers } = received[0] ?? { body: '', headers: {} };
      expect(JSON.parse(body)).toStrictEqual({
        subscription_id: `mon_${id.replaceAll('-', '')}`,
        identifier: taxIdOf(1),
        country: 'BR',
        changed_fields: Object.fromEntries(fields.map(({ field, from, to }) => [field, { from, to }])),
        detected_at: '2026-11-21T10:00:00+00:00',
      });
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(20 * 1024);
      expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
    },
  );

  it('with list changes is sent only to monitors with list changes enabled', async () => {
    const { monitor, change, drain } = await setup();
    const plain = await receiver();
    const subscribed = await receiver();
    await monitor(plain.url);
    await monitor(subscribed.url, { listNews: true });
    await change([taxIdOf(1)], [{ field: 'sanctions', from: '0', to: '1', list: 'OFAC_SDN' }]);
    await drain();
    expect(plain.received).toEqual([]);
    expect(subscribed.received.map(({ body }) => JSON.parse(body).changed_fields)).toEqual([{ sanctions: { from: '0', to: '1' } }]);
  });

  it('has the fields of the record only for monitors with record_news; the others get the three fields of before', async () => {
    const { db, monitor, change, drain } = await setup();
    const plain = await receiver();
    const subscribed = await receiver();
    await monitor(plain.url);
    await monitor(subscribed.url, { recordNews: true });
    const name: FieldChange = { field: 'name', from: 'A LTDA', to: 'B LTDA' };
    const owners: FieldChange = { field: 'owners', from: null, to: 'MARIA MODELO (***456789**)' };
    await change([taxIdOf(1)], [owners]);
    await change([taxIdOf(1)], [...CHANGES, name, owners]);
    await drain();
    const keys = ({ received }: { readonly received: readonly { readonly body: string }[] }) =>
      received.map(({ body }) => Object.keys(JSON.parse(body).changed_fields));
    expect(keys(plain)).toEqual([['status', 'size', 'activity']]);
    expect(keys(subscribed)).toEqual([['owners'], ['status', 'size', 'activity', 'name', 'owners']]);
    expect((await changeLog(db)).map(({ fields }) => fields.length)).toEqual([1, 1, 5, 5]);
  });

  it.each([
    ['ASCII', 'x'.repeat(200_000)],
    ['quotation marks, which JSON escapes', '"'.repeat(60_000)],
    ['control characters, which JSON writes with six bytes', '\u0001'.repeat(60_000)],
    ['characters of four bytes', '😀'.repeat(60_000)],
  ])('WH-03 has at most 20 KiB when values are very long: %s', async (_, long) => {
    const { db, monitor, change, drain } = await setup();
    const { url, received } = await receiver();
    await monitor(url, { listNews: true, recordNews: true });
    const fields = [...REGISTRY_FIELDS, ...LIST_FIELDS].map((field) => ({ field, from: `a${long}`, to: `b${long}` }));
    await change([taxIdOf(1)], fields);
    await drain();
    const [{ body } = { body: '' }] = received;
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(20 * 1024);
    const { activity } = JSON.parse(body).changed_fields;
    expect(activity.from.isWellFormed()).toBe(true);
    expect(`a${long}`.startsWith(activity.from.slice(0, -1))).toBe(true);
    expect([activity.from.at(-1), activity.to.slice(0, 1)]).toEqual(['…', 'b']);
    expect((await changeLog(db))[0]?.fields).toEqual(fields);
  });

  it('is sent with exactly the documented headers', async () => {
    const { monitor, change, drain } = await setup();
    const { url, host, received } = await receiver();
    await monitor(url);
    await change([taxIdOf(1)]);
    await drain();
    expect(received[0]?.headers).toEqual({
      host,
      connection: 'close',
      'user-agent': expect.stringContaining('Quipu'),
      accept: '*/*',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'content-length': expect.stringMatching(/^\d+$/),
      'webhook-id': expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
  });
});
