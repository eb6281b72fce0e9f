import { createClient as createSseClient } from 'graphql-sse';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { fromPublicId } from '../../../src/domain/public-ids.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { subscribe, world } from '../../modules/monitor/api-requests.ts';
import { append, publishChange } from '../../modules/monitor/feed-support.ts';
import { brazilian } from '../../modules/monitor/support.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { until } from '../../support/until.ts';
import { CHANGES, listening } from './support.ts';

let app: TestApp;
let host: string;
const clock = { now: Date.parse('2026-11-21T12:00:00Z') };
const [cnpj = '', other = ''] = world;
const company = brazilian(cnpj);
let monitor: string;
let uuid: string;
let keyId: string;
beforeAll(async () => {
  app = await testApp({ now: () => clock.now });
  host = await listening(app);
  monitor = (await subscribe(app)).subscription_id;
  uuid = fromPublicId('monitor', monitor) ?? '';
  keyId = (await app.keys.find(app.key))?.keyId ?? '';
});
afterAll(() => app.close());

const subscriberCount = () => app.open(monitorService).events.subscribers();
const overSocket = () =>
  createClient({ url: `ws://${host}/graphql`, webSocketImpl: WebSocket, connectionParams: { 'X-API-Key': app.key } });
const overHttp = () => createSseClient({ url: `http://${host}/graphql`, headers: { 'X-API-Key': app.key } });

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
async function next(events: AsyncIterator<any>): Promise<any> {
  const { value } = await events.next();
  if (value.errors) throw new Error(JSON.stringify(value.errors));
  return Object.values(value.data)[0];
}

describe('events', () => {
  it('are the same, with the same id and cursor, over socket, event stream, query and in the table', async () => {
    await until(() => subscriberCount() === 0);
    const socket = overSocket().iterate({ query: CHANGES });
    const stream = overHttp().iterate({ query: CHANGES });
    const received = [next(socket), next(stream)];
    await until(() => subscriberCount() === 2);
    await publishChange(app.db, company, clock.now);
    const [bySocket, byStream] = await Promise.all(received);
    expect(bySocket).toEqual(byStream);
    const { body } = await app.query('{ changes { nodes { id cursor identifier } } }');
    expect(body.data.changes.nodes).toEqual([bySocket]);
    const rows = await app.db('changes').pluck('id');
    expect(rows.map((id) => `evt_${id.replaceAll('-', '')}`)).toEqual([bySocket.id]);
    await Promise.all([socket.return?.(), stream.return?.()]);
    await until(() => subscriberCount() === 0);
  });

  it('are each resolved with new loaders, so that they show later changes and query the registry again', async () => {
    const query = 'subscription { companyChanged { detectedAt monitor { status } company { kyb { freshness { fetchedAt cached } } } } }';
    await until(() => subscriberCount() === 0);
    const events = overSocket().iterate({ query });
    const first = next(events);
    await until(() => subscriberCount() === 1);
    await publishChange(app.db, company, clock.now);
    expect((await first).monitor.status).toBe('ACTIVE');
    clock.now += 60_000;
    await app.db('monitors').update({ cancelled_at: new Date(clock.now) });
    await append(app.db, 1, { keyId, monitorId: uuid, company, detectedAt: clock.now });
    const second = await next(events);
    expect(second.monitor.status).toBe('CANCELLED');
    expect(Date.parse(second.company.kyb.freshness.fetchedAt)).toBeGreaterThanOrEqual(Date.parse(second.detectedAt));
    await app.db('monitors').update({ cancelled_at: null });
    await events.return?.();
  });

  it('are filtered by monitors and companies, whose tax ids may have any spelling', async () => {
    const query =
      'subscription ($after: String, $ids: [ID!], $companies: [String!]) { companyChanged(monitorIds: $ids, identifiers: $companies, after: $after) { identifier } }';
    const { body } = await app.query('{ changes(first: 1) { nodes { cursor } } }');
    const after = body.data.changes.nodes[0].cursor;
    await publishChange(app.db, brazilian(other), clock.now);
    const events = overSocket().iterate({
      query,
      variables: { after, ids: [monitor], companies: [`${other.slice(0, 8)}/${other.slice(8)}`] },
    });
    expect(await next(events)).toEqual({ identifier: other });
    await events.return?.();
  });

  it('report a new delivery with its change', async () => {
    await until(() => subscriberCount() === 0);
    const events = overHttp().iterate({
      query: 'subscription ($id: ID) { deliveryUpdated(monitorId: $id) { id status eventId change { id } } }',
      variables: { id: monitor },
    });
    const first = next(events);
    await until(() => subscriberCount() === 1);
    await publishChange(app.db, company, clock.now);
    const delivery = await first;
    expect(delivery).toMatchObject({ status: 'PENDING', eventId: delivery.change.id });
    await events.return?.();
  });

  it('GQ-08 for the monitors of another key are refused as not found', async () => {
    const stranger = await app.keyFor('monitor');
    const client = createSseClient({ url: `http://${host}/graphql`, headers: { 'X-API-Key': stranger } });
    const foreign = client.iterate({
      query: 'subscription ($id: [ID!]) { companyChanged(monitorIds: $id) { id } }',
      variables: { id: [monitor] },
    });
    expect((await foreign.next()).value.errors[0].extensions.code).toBe('MONITOR_NOT_FOUND');
  });
});

describe('a subscription sent as an ordinary request', () => {
  it('is refused with the name of the WebSocket protocol', async () => {
    const { status, body } = await app.query(CHANGES);
    expect(status).toBe(400);
    expect(body.errors[0].message).toContain('graphql-transport-ws');
    expect(body.errors[0].extensions.code).toBe('BAD_REQUEST');
  });
});
