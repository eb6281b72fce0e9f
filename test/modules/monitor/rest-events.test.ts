import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromPublicId } from '../../../src/domain/public-ids.ts';
import { DAY_MS, isoWithOffset } from '../../../src/domain/time.ts';
import { readStreamHead } from '../../../src/modules/monitor/store/change-log.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { call, data, PATH, publishChanges, stranger, subscribe, world } from './api-requests.ts';
import { restoreTo } from './feed-support.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
let app: TestApp;
let id: string;
let other: string;
const [one = '', two = ''] = world;
beforeAll(async () => {
  app = await testApp({ now: () => now });
  other = await stranger(app);
  id = (await subscribe(app, { identifiers: [one, two] })).subscription_id;
  await subscribe(app, { identifiers: [one] }, other);
  await publishChanges(app, [one, two], { at: now });
  await publishChanges(app, [one], { at: now, fields: [{ field: 'size', from: 'small', to: 'large' }] });
});
afterAll(() => app.close());

describe('GET /v1/changes', () => {
  it('returns the changes of the key after a cursor, oldest first, with the cursors and ids of GraphQL', async () => {
    const first = (await call(app, 'GET', '/v1/changes?limit=2')).body;
    expect(first).toMatchObject({ has_more: true, changes: [{ identifier: one }, { identifier: two }] });
    const second = (await call(app, 'GET', `/v1/changes?limit=2&after=${first.next_after}`)).body;
    expect(second).toEqual({
      changes: [
        {
          event_id: expect.stringMatching(/^evt_/),
          observation_id: expect.stringMatching(/^obs_/),
          subscription_id: id,
          identifier: one,
          country: 'BR',
          source: 'receita_federal',
          changed_fields: { size: { from: 'small', to: 'large' } },
          detected_at: isoWithOffset(now),
          cursor: expect.any(String),
        },
      ],
      has_more: false,
      next_after: expect.any(String),
    });
    const empty = (await call(app, 'GET', `/v1/changes?after=${second.next_after}`)).body;
    expect(empty).toEqual({ changes: [], has_more: false, next_after: second.next_after });
    const { changes } = await data(app, 'query ($after: String) { changes(after: $after) { nodes { id cursor observationId } } }', {
      after: first.next_after,
    });
    const [change] = second.changes;
    expect(changes.nodes).toEqual([{ id: change.event_id, cursor: change.cursor, observationId: change.observation_id }]);
  });

  it('narrows to a subscription of the key', async () => {
    const { body } = await call(app, 'GET', `/v1/changes?subscription_id=${id}`);
    expect(body.changes).toHaveLength(3);
    const foreign = await call(app, 'GET', `/v1/changes?subscription_id=${id}`, other);
    expect([foreign.status, foreign.body.code]).toEqual([404, 'subscription_not_found']);
  });

  it('refuses what is no cursor with 422, and one whose changes are deleted with 410', async () => {
    const wrong = await call(app, 'GET', '/v1/changes?after=x');
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, 'after']);
    const { body } = await call(app, 'GET', '/v1/changes?limit=1');
    await app.db('log_heads').where({ stream: 'changes' }).update({ kept_from: 4 });
    const old = await call(app, 'GET', `/v1/changes?after=${body.next_after}`);
    expect([old.status, old.body.code]).toEqual([410, 'cursor_too_old']);
    await app.db('log_heads').where({ stream: 'changes' }).update({ kept_from: 1 });
    const continued = (await call(app, 'GET', `/v1/changes?after=${old.body.cursor}`)).body;
    expect(continued.changes.map(({ identifier }: { identifier: string }) => identifier)).toEqual([one]);
  });
});

describe('the webhook of a subscription', () => {
  it('returns its deliveries with every attempt, in pages and by status', async () => {
    const [row] = await app.db('deliveries').where({ monitor_id: fromPublicId('monitor', id) });
    await app
      .db('deliveries')
      .where({ id: row.id })
      .update({ state: 'delivered', settled_at: new Date(now), due_at: null });
    await app
      .db('delivery_attempts')
      .insert({ delivery_id: row.id, number: 1, started_at: new Date(now), latency_ms: 12, status: 204, error: null, answer: '' });
    const path = `${PATH}/${id}/deliveries`;
    const pages = [];
    for (let after = '', more = true; more; ) {
      const { body } = await call(app, 'GET', `${path}?limit=2${after && `&after=${after}`}`);
      pages.push(body.deliveries.map((one: { delivery_id: string }) => one.delivery_id));
      after = body.deliveries.at(-1).delivery_id;
      more = body.has_more;
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 1]);
    expect(new Set(pages.flat()).size).toBe(3);
    expect((await call(app, 'GET', `${path}?status=delivered`)).body).toEqual({
      deliveries: [
        {
          delivery_id: expect.stringMatching(/^dlv_/),
          event_id: row.event_id,
          test: false,
          status: 'delivered',
          created_at: isoWithOffset(now),
          settled_at: isoWithOffset(now),
          next_attempt_at: null,
          attempts: [{ number: 1, started_at: isoWithOffset(now), latency_ms: 12, status: 204, error: null, answer: '' }],
        },
      ],
      has_more: false,
      next_after: expect.any(String),
    });
    expect((await call(app, 'GET', path, other)).body).toMatchObject({ status: 404, code: 'subscription_not_found' });
    expect((await call(app, 'GET', `${path}?after=dlv_1`)).body).toMatchObject({ status: 422, errors: [{ field: 'after' }] });
  });

  it('is sent a test event, gets a new secret, and is enabled again', async () => {
    const { subscription_id: own, secret } = await subscribe(app, { identifiers: [two] });
    const test = await app.post(`${PATH}/${own}/test`, '');
    expect([test.status, test.body]).toMatchObject([200, { test: true, status: 'pending', attempts: [] }]);
    const rotated = await app.post(`${PATH}/${own}/rotate`, '');
    expect(rotated.body).toEqual({
      subscription_id: own,
      secret: expect.stringMatching(/^whsec_/),
      old_secret_valid_until: isoWithOffset(now + DAY_MS),
    });
    expect(rotated.body.secret).not.toBe(secret);
    await app
      .db('monitors')
      .where({ id: fromPublicId('monitor', own) })
      .update({ failures: 100, disabled_at: new Date(now) });
    expect((await call(app, 'GET', `${PATH}/${own}`)).body.endpoint_state).toBe('disabled');
    expect((await app.post(`${PATH}/${own}/enable`, {})).body).toMatchObject({ subscription_id: own, endpoint_state: 'active' });
    for (const action of ['test', 'rotate', 'enable']) {
      const foreign = await app.post(`${PATH}/${own}/${action}`, '', other);
      expect([foreign.status, foreign.body.code]).toEqual([404, 'subscription_not_found']);
    }
  });
});

describe('GET /v1/sources', () => {
  it('returns health and attribution of every source, as GraphQL does', async () => {
    const key = await app.keyFor('kyb');
    const { sources } = await data(app, '{ sources { name usable attribution heldChanges } }', {}, key);
    const { status, body } = await call(app, 'GET', '/v1/sources', key);
    expect(status).toBe(200);
    expect(
      body.sources.map((source: Record<string, unknown>) => ({
        name: String(source.name).toUpperCase(),
        usable: source.usable,
        attribution: source.attribution,
        heldChanges: source.held_changes,
      })),
    ).toEqual(sources);
    const list = body.sources.find(({ name }: { name: string }) => name === 'CEIS');
    expect(list).toMatchObject({ circuit: 'closed', list: { loaded_at: expect.any(String), entries: expect.any(Number) } });
  });

  it('says when a list is synced next and until when it is used, as GraphQL does', async () => {
    const { sources } = await data(app, '{ sources { name list { checkedAt syncDueAt goodUntil } } }');
    const { list } = sources.find(({ name }: { name: string }) => name === 'CEIS');
    const hoursAfterSync = (at: string) => (Date.parse(at) - Date.parse(list.checkedAt)) / 3_600_000;
    expect([list.syncDueAt, list.goodUntil].map(hoursAfterSync)).toEqual([6, 72]);
    const { body } = await call(app, 'GET', '/v1/sources');
    const replied = body.sources.find(({ name }: { name: string }) => name === 'CEIS').list;
    const wholeSeconds = (at: string) => Math.floor(Date.parse(at) / 1_000);
    expect([replied.sync_due_at, replied.good_until].map(wholeSeconds)).toEqual([list.syncDueAt, list.goodUntil].map(wholeSeconds));
  });

  it('returns how the last calls of a live source went, as GraphQL does, and null for a list', async () => {
    await app.post('/v1/kyb', { identifier: two, country: 'BR' });
    const { sources } = await data(app, '{ sources { name recentCalls { calls failed latencyMs } } }');
    const { body } = await call(app, 'GET', '/v1/sources');
    const calls = (name: string) => sources.find((source: { name: string }) => source.name === name).recentCalls;
    expect(calls('RECEITA_FEDERAL')).toEqual({ calls: expect.any(Number), failed: 0, latencyMs: 0 }); // the clock of the test stands
    expect(calls('RECEITA_FEDERAL').calls).toBeGreaterThan(0);
    expect(calls('CEIS')).toBeNull();
    const replied = body.sources.find(({ name }: { name: string }) => name.toUpperCase() === 'RECEITA_FEDERAL').recent_calls;
    expect(replied).toEqual({ calls: calls('RECEITA_FEDERAL').calls, failed: 0, latency_ms: 0 });
  });
});

it('replies of tenders carry the attribution that their licence asks for', async () => {
  const { body } = await app.post('/v1/tenders', { identifier: one, country: 'BR' });
  expect(body.attribution).toMatch(/PNCP.*CC BY-ND 3\.0/);
});

it('GET /v1/changes refuses a cursor from after the moment that the database was restored to, and names the one to continue from', async () => {
  const before = (await call(app, 'GET', '/v1/changes')).body;
  const { position } = await readStreamHead(app.db);
  await publishChanges(app, [two], { at: now });
  const lost = (await call(app, 'GET', '/v1/changes')).body.next_after;
  await restoreTo(app.db, position);
  await publishChanges(app, [one, two], { at: now });
  const refused = await call(app, 'GET', `/v1/changes?after=${lost}`);
  expect([refused.status, refused.body.code]).toEqual([410, 'cursor_too_old']);
  expect(refused.body.detail).toContain('restored to a moment before this cursor');
  expect(refused.body.cursor).toBe(before.next_after);
  const after = (await call(app, 'GET', `/v1/changes?after=${before.next_after}`)).body;
  expect(new Set(after.changes.map(({ identifier }: { identifier: string }) => identifier))).toEqual(new Set([one, two]));
  expect((await call(app, 'GET', `/v1/changes?after=${after.next_after}`)).body.changes).toEqual([]);
});

describe('a change of the registry record', () => {
  it('is in GET /v1/changes and in webhooks only with record_news, and always in GraphQL', async () => {
    const [, , three = ''] = world;
    const { subscription_id: own, record_news } = await subscribe(app, { identifiers: [three] });
    expect(record_news).toBe(false);
    const { body: end } = await call(app, 'GET', '/v1/changes?limit=100');
    const owners = { field: 'owners', from: null, to: 'MARIA MODELO (***456789**)' } as const;
    const status = { field: 'status', from: 'active', to: 'inactive' } as const;
    await publishChanges(app, [three], { at: now, fields: [owners] });
    await publishChanges(app, [three], { at: now, fields: [status, owners] });
    const fieldsOf = async () => {
      const { body } = await call(app, 'GET', `/v1/changes?after=${end.next_after}&subscription_id=${own}`);
      return body.changes.map(({ changed_fields }: { changed_fields: object }) => Object.keys(changed_fields));
    };
    expect(await fieldsOf()).toEqual([['status']]);
    const query =
      'query ($after: String, $ids: [ID!]) { changes(after: $after, monitorIds: $ids) { nodes { changedFields { field from to } } } }';
    const { changes } = await data(app, query, { after: end.next_after, ids: [own] });
    expect(changes.nodes[0].changedFields).toEqual([{ field: 'OWNERS', from: null, to: owners.to }]);
    expect(changes.nodes[1].changedFields).toHaveLength(2);
    await data(app, 'mutation ($id: ID!) { updateMonitor(input: { id: $id, recordNews: true }) { monitor { recordNews } } }', { id: own });
    expect((await call(app, 'GET', `${PATH}/${own}`)).body.record_news).toBe(true);
    expect(await fieldsOf()).toEqual([['owners'], ['status', 'owners']]);
  });
});
