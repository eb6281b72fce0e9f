import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toCursor } from '../../../src/domain/paging.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { call, codes, data, order, PATH, publishChanges, stranger, subscribe, world } from './api-requests.ts';

let app: TestApp;
/** The key that requests resources of another customer. */
let other: string;
let own: string;
const theirs = { monitor: '', change: '', delivery: '' };
const [shared = '', only = ''] = world;

/** A plan that allows deeper queries than the standard plan. */
const DEEP = '{"standard":{"graphql":{"ceiling":1000000,"burst":1000000}}}';

beforeAll(async () => {
  app = await testApp({ env: { QUIPU_PLANS: DEEP } });
  other = await stranger(app);
  theirs.monitor = (await subscribe(app, { identifiers: [shared, only] })).subscription_id;
  own = (await subscribe(app, { identifiers: [shared] }, other)).subscription_id;
  await publishChanges(app, [shared, only]);
  const { monitor } = await data(app, 'query ($id: ID!) { monitor(id: $id) { changes { nodes { id } } deliveries { nodes { id } } } }', {
    id: theirs.monitor,
  });
  theirs.change = monitor.changes.nodes[0].id;
  theirs.delivery = monitor.deliveries.nodes[0].id;
});
afterAll(() => app.close());

const MISSING = { monitor: `mon_${'0'.repeat(32)}`, change: `evt_${'0'.repeat(32)}`, delivery: `dlv_${'0'.repeat(32)}` };

/** The rows that an operation could change. */
const state = async () => [
  await app.db('monitors').orderBy('id'),
  await app.db('watched_companies').orderBy('tax_id'),
  await app.db('deliveries').orderBy('revision'),
];

/** Runs the same operation with the other key on resources of another customer and on resources that do not exist. */
async function bothAnswers(query: string, ids: (of: typeof MISSING) => Record<string, unknown>) {
  const answers = [await app.query(query, ids(theirs), other), await app.query(query, ids(MISSING), other)];
  return answers.map(({ status, body }) => ({
    status,
    data: body.data,
    errors: (body.errors ?? []).map(
      ({ message, extensions: { requestId: _, ...facts } }: { message: string; extensions: Record<string, unknown> }) => [message, facts],
    ),
  }));
}

describe('GQ-08 a resource of another customer', () => {
  it.each([
    ['monitor', 'query ($id: ID!) { monitor(id: $id) { id } }', ({ monitor }) => ({ id: monitor })],
    ['node: a monitor', 'query ($id: ID!) { node(id: $id) { id } }', ({ monitor }) => ({ id: monitor })],
    ['node: a change', 'query ($id: ID!) { node(id: $id) { id } }', ({ change }) => ({ id: change })],
    ['node: a delivery', 'query ($id: ID!) { node(id: $id) { id } }', ({ delivery }) => ({ id: delivery })],
    [
      'nodes',
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
      ({ monitor, change, delivery }) => ({ ids: [monitor, change, delivery] }),
    ],
    ['changes(monitorIds)', 'query ($ids: [ID!]) { changes(monitorIds: $ids) { nodes { id } } }', ({ monitor }) => ({ ids: [monitor] })],
    ['aliases', 'query ($id: ID!) { a: monitor(id: $id) { id } b: monitor(id: $id) { webhookUrl } }', ({ monitor }) => ({ id: monitor })],
    [
      'updateMonitor',
      'mutation ($id: ID!) { updateMonitor(input: { id: $id, listNews: true, webhookUrl: "https://localhost/x" }) { monitor { id } } }',
      ({ monitor }) => ({ id: monitor }),
    ],
    ['cancelMonitor', 'mutation ($id: ID!) { cancelMonitor(input: { id: $id }) { monitor { id } } }', ({ monitor }) => ({ id: monitor })],
    [
      'rotateMonitorSecret',
      'mutation ($id: ID!) { rotateMonitorSecret(input: { id: $id }) { secret } }',
      ({ monitor }) => ({ id: monitor }),
    ],
    ['enableMonitor', 'mutation ($id: ID!) { enableMonitor(input: { id: $id }) { monitor { id } } }', ({ monitor }) => ({ id: monitor })],
    ['testMonitor', 'mutation ($id: ID!) { testMonitor(input: { id: $id }) { delivery { id } } }', ({ monitor }) => ({ id: monitor })],
    [
      'redeliver',
      'mutation ($id: ID!) { redeliver(input: { deliveryId: $id }) { delivery { id } } }',
      ({ delivery }) => ({ id: delivery }),
    ],
    [
      'replayMonitor',
      'mutation ($id: ID!, $after: String!) { replayMonitor(input: { id: $id, after: $after }) { queued } }',
      ({ monitor }) => ({ id: monitor, after: toCursor('change', ['0']) }),
    ],
  ] satisfies [string, string, (of: typeof MISSING) => Record<string, unknown>][])(
    'gives the same response as a resource that does not exist: %s',
    async (_, query, ids) => {
      const before = await state();
      const [foreign, missing] = await bothAnswers(query, ids);
      expect(foreign).toEqual(missing);
      expect(foreign?.status).toBe(200);
      expect(JSON.stringify(foreign)).not.toMatch(/"\w+":\{"id"|MODULE_NOT_ENABLED/);
      expect(await state()).toEqual(before);
    },
  );

  it('cannot be cancelled through REST: the response is 404, as for an unknown monitor', async () => {
    const [foreign, missing] = [
      await call(app, 'DELETE', `${PATH}/${theirs.monitor}`, other),
      await call(app, 'DELETE', `${PATH}/${MISSING.monitor}`, other),
    ];
    const { request_id: _, ...refusal } = foreign.body;
    expect(foreign.status).toBe(404);
    expect(missing.body).toMatchObject(refusal);
    expect((await data(app, 'query ($id: ID!) { monitor(id: $id) { status } }', { id: theirs.monitor })).monitor.status).toBe('ACTIVE');
  });

  it.each([
    ['companyChanged', 'subscription ($id: ID!) { companyChanged(monitorIds: [$id]) { id } }'],
    ['deliveryUpdated', 'subscription ($id: ID!) { deliveryUpdated(monitorId: $id) { id } }'],
  ])('cannot be subscribed to: %s', async (_, query) => {
    const [foreign, missing] = await Promise.all(
      [theirs.monitor, MISSING.monitor].map(async (id) => {
        const answer = await app.server.inject({
          method: 'POST',
          url: '/graphql',
          headers: { 'x-api-key': other, accept: 'text/event-stream', 'content-type': 'application/json' },
          payload: JSON.stringify({ query, variables: { id } }),
        });
        return answer.body.replace(/"requestId":"[^"]*"/, '');
      }),
    );
    expect(foreign).toContain('MONITOR_NOT_FOUND');
    expect(foreign).toBe(missing);
  });

  it('appears in no list of a deeply nested query', async () => {
    const query = `query ($ids: [String!]!) {
      monitors { nodes { ...M } }
      changes { nodes { ...C } }
      companies(identifiers: $ids) { monitors { nodes { ...M } } changes { nodes { ...C } } } }
      fragment M on Monitor { id webhookUrl companies { nodes { identifier monitors { nodes { id } } changes { nodes { id } } } } changes { nodes { ...C } } deliveries { nodes { ...D } } }
      fragment C on Change { id monitor { id companies { nodes { id } } } deliveries { ...D } company { changes { nodes { id } } monitors { nodes { id } } } }
      fragment D on Delivery { id monitor { id } change { id monitor { id } } }`;
    const seenBy = async (key: string) => {
      const text = JSON.stringify(await data(app, query, { ids: [shared, only] }, key));
      return new Set(text.match(/(?:mon|evt|dlv)_[0-9a-f]{32}/g));
    };
    const [mine, seen] = [await seenBy(app.key), await seenBy(other)];
    expect([mine.size, seen.size]).toEqual([5, 3]);
    expect([...mine].filter((id) => seen.has(id))).toEqual([]);
    expect(seen.has(own)).toBe(true);
    expect((await call(app, 'GET', PATH, other)).body).toMatchObject({ total: 1, subscriptions: [{ subscription_id: own }] });
  });

  it('is not returned for a cursor of its owner', async () => {
    const { monitor } = await data(app, 'query ($id: ID!) { monitor(id: $id) { changes(first: 1) { pageInfo { endCursor } } } }', {
      id: theirs.monitor,
    });
    const { changes } = await data(
      app,
      'query ($after: String) { changes(after: $after) { nodes { monitor { id } } } }',
      { after: monitor.changes.pageInfo.endCursor },
      other,
    );
    expect(changes.nodes.filter((node: { monitor: { id: string } }) => node.monitor.id !== own)).toEqual([]);
  });

  it('is reported as not found instead of forbidden', async () => {
    const rotate = await codes(
      app,
      'mutation ($id: ID!) { rotateMonitorSecret(input: { id: $id }) { secret } }',
      { id: theirs.monitor },
      other,
    );
    expect(rotate).toEqual(['rotateMonitorSecret MONITOR_NOT_FOUND']);
    expect((await app.post(PATH, order(), null)).status).toBe(403);
  });
});
