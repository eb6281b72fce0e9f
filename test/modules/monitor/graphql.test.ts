import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toCursor } from '../../../src/domain/paging.ts';
import { fromPublicId } from '../../../src/domain/public-ids.ts';
import { isoWithOffset } from '../../../src/domain/time.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { call, codes, data, HOOK, PATH, publishChanges, subscribe, world } from './api-requests.ts';

let now = Date.parse('2026-11-21T10:00:00Z');
let app: TestApp;
let monitor: string;
const [one = '', two = '', three = ''] = world;
beforeAll(async () => {
  app = await testApp({ now: () => now });
  monitor = (await subscribe(app, { identifiers: [one, two, three] })).subscription_id;
  await publishChanges(app, [one, two, three], { at: now });
  await publishChanges(app, [one], { at: now + 1_000, fields: [{ field: 'size', from: 'small', to: 'large' }] });
  await publishChanges(app, [two], { at: now + 2_000, fields: [{ field: 'sanctions', from: '0', to: '1', list: 'OFAC_SDN' }] });
});
afterAll(() => app.close());

const uuid = (id: string) => fromPublicId('monitor', id);
describe('Monitor', () => {
  it('returns its companies, changes and deliveries in pages', async () => {
    const query = `query ($id: ID!, $companies: String, $changes: String, $deliveries: String) { monitor(id: $id) {
      companies(first: 2, after: $companies) { nodes { identifier } pageInfo { hasNextPage endCursor } }
      changes(first: 2, after: $changes) { nodes { cursor changedFields { field from to list } } pageInfo { hasNextPage endCursor } }
      deliveries(first: 3, after: $deliveries) { nodes { id change { id } } pageInfo { hasNextPage endCursor } } } }`;
    const { monitor: first } = await data(app, query, { id: monitor });
    expect(first.companies).toEqual({
      nodes: [{ identifier: one }, { identifier: two }],
      pageInfo: { hasNextPage: true, endCursor: expect.any(String) },
    });
    expect(first.changes.nodes.map(({ changedFields }: { changedFields: unknown }) => changedFields)).toEqual([
      [{ field: 'SANCTIONS', from: '0', to: '1', list: 'OFAC_SDN' }],
      [{ field: 'SIZE', from: 'SMALL', to: 'LARGE', list: null }],
    ]);
    const { monitor: second } = await data(app, query, {
      id: monitor,
      companies: first.companies.pageInfo.endCursor,
      changes: first.changes.pageInfo.endCursor,
      deliveries: first.deliveries.pageInfo.endCursor,
    });
    expect(second.companies).toMatchObject({ nodes: [{ identifier: three }], pageInfo: { hasNextPage: false } });
    expect(second.changes.nodes).toHaveLength(2);
    expect(second.deliveries.pageInfo.hasNextPage).toBe(false);
    const changeIds = [...first.deliveries.nodes, ...second.deliveries.nodes].map(({ change }) => change.id);
    expect([new Set(changeIds).size, changeIds.length]).toEqual([4, 4]); // changes of lists are not sent by default
  });

  it('returns when its companies were checked, what is due, late or failing, and nothing once it is cancelled', async () => {
    const watched = () => app.db('watched_companies');
    const query = `query ($id: ID!) { monitor(id: $id) { checks {
      intervalSeconds companies checked overdue failing lastCheckedAt nextCheckAt } } }`;
    const checks = async (id: string) => (await data(app, query, { id })).monitor.checks;
    const due = (taxId: string, ms: number, over: object = {}) =>
      watched()
        .where({ tax_id: taxId })
        .update({ due_at: new Date(now + ms), ...over });
    await due(one, 3_600_000, { checked_at: new Date(now - 1_000) });
    await due(two, -59_000, { checked_at: new Date(now - 7 * 3_600_000), failures: 2 });
    await due(three, -61_000, { checked_at: null });
    const interval = { intervalSeconds: 10, companies: 3, checked: 1 };
    expect(await checks(monitor)).toEqual({
      ...interval,
      overdue: 1,
      failing: 1,
      lastCheckedAt: isoWithOffset(now - 1_000),
      nextCheckAt: isoWithOffset(now - 61_000),
    });
    const { subscription_id: other } = await subscribe(app, { identifiers: [one] });
    expect(await checks(other)).toMatchObject({ companies: 1, checked: 1, overdue: 0, failing: 0 });
    await call(app, 'DELETE', `${PATH}/${other}`);
    expect(await checks(other)).toMatchObject({ companies: 0, checked: 0, lastCheckedAt: null, nextCheckAt: null });
  });

  it('returns its deliveries by state, with every attempt', async () => {
    const [delivered] = await app
      .db('deliveries')
      .where({ monitor_id: uuid(monitor) })
      .orderBy('revision');
    const at = new Date(now + 3_000);
    await app.db('deliveries').where({ id: delivered.id }).update({ state: 'delivered', settled_at: at, due_at: null });
    await app.db('delivery_attempts').insert([
      { delivery_id: delivered.id, number: 1, started_at: at, latency_ms: 12, status: 500, error: 'status', answer: 'no' },
      { delivery_id: delivered.id, number: 2, started_at: at, latency_ms: 7, status: 204, error: null, answer: null },
    ]);
    const query = `query ($id: ID!) { monitor(id: $id) {
      pending: deliveries(status: PENDING) { nodes { status settledAt nextAttemptAt attempts { number } } }
      delivered: deliveries(status: DELIVERED) { nodes { eventId test status createdAt settledAt nextAttemptAt change { id }
        attempts { number startedAt latencyMs status error answer } } } } }`;
    const { monitor: found } = await data(app, query, { id: monitor });
    expect(found.pending.nodes).toEqual(
      Array(3).fill({ status: 'PENDING', settledAt: null, nextAttemptAt: expect.any(String), attempts: [] }),
    );
    expect(found.delivered.nodes).toEqual([
      {
        eventId: delivered.event_id,
        test: false,
        status: 'DELIVERED',
        createdAt: isoWithOffset(now),
        settledAt: isoWithOffset(now + 3_000),
        nextAttemptAt: null,
        change: { id: delivered.event_id },
        attempts: [
          { number: 1, startedAt: isoWithOffset(now + 3_000), latencyMs: 12, status: 500, error: 'status', answer: 'no' },
          { number: 2, startedAt: isoWithOffset(now + 3_000), latencyMs: 7, status: 204, error: null, answer: null },
        ],
      },
    ]);
  });

  it('returns the state of its endpoint, and one call enables it again', async () => {
    const { subscription_id: id } = await subscribe(app);
    const state = async () => (await data(app, 'query ($id: ID!) { monitor(id: $id) { endpointState } }', { id })).monitor.endpointState;
    const fail = (over: object) =>
      app
        .db('monitors')
        .where({ id: uuid(id) })
        .update(over);
    expect(await state()).toBe('ACTIVE');
    await fail({ failures: 5, failing_since: new Date(now) });
    expect(await state()).toBe('FAILING');
    await fail({ failures: 100, disabled_at: new Date(now) });
    expect(await state()).toBe('DISABLED');
    const { enableMonitor } = await data(
      app,
      'mutation ($id: ID!) { enableMonitor(input: { id: $id }) { monitor { id endpointState } } }',
      { id },
    );
    expect(enableMonitor).toEqual({ monitor: { id, endpointState: 'ACTIVE' } });
    expect(
      await app
        .db('monitors')
        .where({ id: uuid(id) })
        .first('failures', 'failing_since', 'disabled_at'),
    ).toEqual({
      failures: 0,
      failing_since: null,
      disabled_at: null,
    });
    await call(app, 'DELETE', `${PATH}/${id}`);
  });

  it('is listed in pages, newest first, also when several were created at the same time', async () => {
    const { key } = await app.keys.create({ name: 'many', modules: ['monitor'] });
    const made: string[] = [];
    for (let i = 0; i < 7; i += 1) {
      now += i % 3 === 0 ? 1_000 : 0;
      made.push((await subscribe(app, {}, key)).subscription_id);
    }
    const listed: { id: string; createdAt: string }[] = [];
    let after: string | null = null;
    for (let more = true; more; ) {
      const query =
        'query ($after: String) { monitors(first: 2, after: $after) { nodes { id createdAt } pageInfo { hasNextPage endCursor } } }';
      const { monitors } = await data(app, query, { after }, key);
      listed.push(...monitors.nodes);
      after = monitors.pageInfo.endCursor;
      more = monitors.pageInfo.hasNextPage;
    }
    expect(listed.map(({ id }) => id).sort()).toEqual(made.sort());
    expect(listed.map(({ createdAt }) => createdAt)).toEqual(
      listed
        .map(({ createdAt }) => createdAt)
        .sort()
        .reverse(),
    );
  });
});

describe('Company', () => {
  it('returns the monitors that watch it, and its changes, newest first', async () => {
    const query = `query ($of: String!) { company(identifier: $of) { monitors { nodes { id } }
      changes(first: 1) { nodes { source detectedAt monitor { id } deliveries { status } company { identifier } } pageInfo { hasNextPage endCursor } } } }`;
    const { company } = await data(app, query, { of: one });
    expect(company.monitors.nodes).toEqual([{ id: monitor }]);
    expect(company.changes.pageInfo.hasNextPage).toBe(true);
    expect(company.changes.nodes).toMatchObject([
      { source: 'RECEITA_FEDERAL', monitor: { id: monitor }, deliveries: [{ status: 'PENDING' }], company: { identifier: one } },
    ]);
    const rest =
      'query ($of: String!, $after: String) { company(identifier: $of) { changes(after: $after) { nodes { changedFields { field } } } } }';
    const { company: older } = await data(app, rest, { of: one, after: company.changes.pageInfo.endCursor });
    expect(older.changes.nodes).toEqual([{ changedFields: [{ field: 'STATUS' }] }]);
  });

  it('returns no monitors and no changes when no monitor watches it', async () => {
    const { company } = await data(app, `{ company(identifier: "${world[9]}") { monitors { nodes { id } } changes { nodes { id } } } }`);
    expect(company).toEqual({ monitors: { nodes: [] }, changes: { nodes: [] } });
  });

  it('returns its other fields to a key without the module', async () => {
    const key = await app.keyFor('kyb');
    const { body } = await app.query(
      `{ company(identifier: "${one}") { identifier monitors { nodes { id } } changes { nodes { id } } } }`,
      {},
      key,
    );
    expect(body.data.company).toEqual({ identifier: one, monitors: null, changes: null });
    expect(body.errors.map(({ extensions }: { extensions: object }) => extensions)).toMatchObject(
      Array(2).fill({ code: 'MODULE_NOT_ENABLED', module: 'MONITOR' }),
    );
  });
});

describe('mutations', () => {
  it('succeed and fail separately: an error of one keeps the secret that another returns', async () => {
    const good = { identifiers: [one], country: 'BR', webhookUrl: HOOK };
    const { body } = await app.query(
      'mutation ($good: CreateMonitorInput!, $bad: CreateMonitorInput!) { good: createMonitor(input: $good) { secret monitor { id } } bad: createMonitor(input: $bad) { secret } }',
      { good, bad: { ...good, webhookUrl: 'ftp://127.0.0.1/' } },
    );
    expect(body.data).toMatchObject({ good: { secret: expect.stringMatching(/^whsec_/) }, bad: null });
    expect(body.errors).toMatchObject([{ path: ['bad'], extensions: { code: 'INVALID_INPUT', field: 'webhookUrl' } }]);
    await call(app, 'DELETE', `${PATH}/${body.data.good.monitor.id}`);
  });

  it('GQ-06 are rejected over GET', async () => {
    const query = encodeURIComponent(`mutation { cancelMonitor(input: { id: "${monitor}" }) { monitor { id } } }`);
    const answer = await app.server.inject({
      method: 'GET',
      url: `/graphql?query=${query}`,
      headers: { 'x-api-key': app.key, 'apollo-require-preflight': '1', accept: 'application/json' },
    });
    expect(answer.statusCode).toBe(405);
    expect((await data(app, 'query ($id: ID!) { monitor(id: $id) { status } }', { id: monitor })).monitor.status).toBe('ACTIVE');
  });

  it('send a test event, redeliver a delivery, and replay changes', async () => {
    const { testMonitor } = await data(
      app,
      'mutation ($id: ID!) { testMonitor(input: { id: $id }) { delivery { id test status eventId change { id } monitor { id } } } }',
      { id: monitor },
    );
    expect(testMonitor.delivery).toMatchObject({ test: true, status: 'PENDING', change: null, monitor: { id: monitor } });
    expect(testMonitor.delivery.eventId).toMatch(/^evt_/);
    const [{ id, eventId }] = (
      await data(app, 'query ($id: ID!) { monitor(id: $id) { deliveries(status: DELIVERED) { nodes { id eventId } } } }', { id: monitor })
    ).monitor.deliveries.nodes;
    const REDELIVER =
      'mutation ($id: ID!) { redeliver(input: { deliveryId: $id }) { delivery { id eventId status settledAt attempts { number } } } }';
    const { redeliver } = await data(app, REDELIVER, { id });
    expect(redeliver.delivery).toEqual({ id, eventId, status: 'PENDING', settledAt: null, attempts: [{ number: 1 }, { number: 2 }] });
    await app.db('deliveries').update({ state: 'failed', settled_at: new Date(now), due_at: null });
    await app.db('log_heads').where({ stream: 'changes' }).update({ kept_from: 4 });
    const REPLAY = 'mutation ($id: ID!, $after: String!) { replayMonitor(input: { id: $id, after: $after }) { queued } }';
    const { replayMonitor } = await data(app, REPLAY, { id: monitor, after: toCursor('change', ['3']) });
    expect(replayMonitor).toEqual({ queued: 1 });
    const { body } = await app.query(REPLAY, { id: monitor, after: toCursor('change', ['1']) });
    expect(body.errors).toMatchObject([{ extensions: { code: 'CURSOR_TOO_OLD', cursor: toCursor('change', ['3']) } }]);
    expect(await codes(app, REDELIVER, { id: 'dlv_1' })).toEqual(['redeliver DELIVERY_NOT_FOUND']);
  });
});

describe('node', () => {
  it('returns monitors, changes, deliveries and companies by their ids, in the requested order', async () => {
    const { changes, monitor: found } = await data(
      app,
      'query ($id: ID!) { changes(first: 1) { nodes { id company { id } } } monitor(id: $id) { deliveries(first: 1) { nodes { id } } } }',
      { id: monitor },
    );
    const ids = [monitor, changes.nodes[0].id, found.deliveries.nodes[0].id, changes.nodes[0].company.id];
    const { nodes } = await data(app, 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids });
    expect(nodes).toEqual(['Monitor', 'Change', 'Delivery', 'Company'].map((__typename, i) => ({ __typename, id: ids[i] })));
    for (const id of ids) expect((await data(app, 'query ($id: ID!) { node(id: $id) { id } }', { id })).node).toEqual({ id });
  });

  it('is null for an unknown id, and an error for an id of an unknown kind', async () => {
    const ids = ['mon', 'evt', 'dlv'].flatMap((kind) => [`${kind}_00000000000000000000000000000000`, `${kind}_1`]);
    const { nodes } = await data(app, 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
    expect(nodes).toEqual(Array(6).fill(null));
    const { body } = await app.query('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: ['xyz_1', monitor] });
    expect(body.data.nodes).toEqual([null, { id: monitor }]);
    expect(body.errors).toMatchObject([{ path: ['nodes', 0], extensions: { code: 'INVALID_INPUT' } }]);
  });
});

it('limits test events and redeliveries to 30 per minute and key', async () => {
  const { key } = await app.keys.create({ name: 'tester', modules: ['monitor'] });
  const { subscription_id: id } = await subscribe(app, { identifiers: [one] }, key);
  const test = 'mutation ($id: ID!) { testMonitor(input: { id: $id }) { delivery { id } } }';
  for (let n = 0; n < 30; n += 1) await data(app, test, { id }, key);
  expect(await codes(app, test, { id }, key)).toEqual(['testMonitor RATE_LIMITED']);
  const again = 'mutation { redeliver(input: { deliveryId: "dlv_00000000000000000000000000000000" }) { delivery { id } } }';
  expect(await codes(app, again, {}, key)).toEqual(['redeliver RATE_LIMITED']);
  await data(app, test, { id: monitor });
});
