import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromPublicId } from '../../../src/domain/public-ids.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { call, codes, data, HOOK, PATH, patch, publishChanges, subscribe, world } from './api-requests.ts';
import { cnpj } from './support.ts';

let now = Date.parse('2026-11-21T10:00:00Z');
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ now: () => now });
});
afterAll(() => app.close());

const MONITOR = 'id identifiers webhookUrl retryPolicy listNews status';
const UPDATE = `mutation ($input: UpdateMonitorInput!) { updateMonitor(input: $input) { monitor { ${MONITOR} } } }`;
const CREATE = `mutation ($input: CreateMonitorInput!) { createMonitor(input: $input) { secret monitor { ${MONITOR} } } }`;
const OTHER_HOOK = 'https://localhost/other';
const [one = '', two = '', three = ''] = world;

const update = async (input: Record<string, unknown>) => (await data(app, UPDATE, { input })).updateMonitor.monitor;
const watched = async (): Promise<string[]> => (await app.db('watched_companies').orderBy('tax_id').pluck('tax_id')) as string[];
const deliveriesOf = (id: string) => app.db('deliveries').where({ monitor_id: fromPublicId('monitor', id) });

describe('updateMonitor', () => {
  it('adds and removes companies, and leaves the rest as it is', async () => {
    const { subscription_id: id } = await subscribe(app, { identifiers: [cnpj(1), cnpj(2), cnpj(3)] });
    await app.db('watched_companies').update({ due_at: new Date(now + 60_000) });
    await app.db.raw('DELETE FROM graphile_worker._private_jobs');
    const input = { id, addIdentifiers: [cnpj(4), cnpj(1), ` ${cnpj(5)} `], removeIdentifiers: [cnpj(2), cnpj(9)] };
    const expected = { id, identifiers: [1, 3, 4, 5].map(cnpj), webhookUrl: HOOK, retryPolicy: 'NONE', listNews: false, status: 'ACTIVE' };
    expect(await update(input)).toEqual(expected);
    expect(await watched()).toEqual([1, 3, 4, 5].map(cnpj));
    expect(
      await app
        .db('watched_companies')
        .where({ due_at: new Date(now) })
        .orderBy('tax_id')
        .pluck('tax_id'),
    ).toEqual([4, 5].map(cnpj));
    expect(await app.db('graphile_worker.jobs').pluck('task_identifier')).toEqual(['monitor.tick']);
    expect(await update(input)).toEqual(expected); // repeating it changes nothing
    await call(app, 'DELETE', `${PATH}/${id}`);
  });

  it('keeps a company watched that another monitor names', async () => {
    const { subscription_id: id } = await subscribe(app, { identifiers: [cnpj(11), cnpj(12)] });
    const other = await subscribe(app, { identifiers: [cnpj(12), cnpj(13)] });
    await update({ id, removeIdentifiers: [cnpj(12)] });
    expect(await watched()).toEqual([11, 12, 13].map(cnpj));
    for (const made of [id, other.subscription_id]) await call(app, 'DELETE', `${PATH}/${made}`);
    expect(await watched()).toEqual([]);
  });

  it('sends pending deliveries to the new URL, and drops them when the URL is removed', async () => {
    const { subscription_id: id } = await subscribe(app, { identifiers: [one] });
    await publishChanges(app, [one], { at: now });
    expect(await update({ id, webhookUrl: OTHER_HOOK, retryPolicy: 'STANDARD', listNews: true })).toMatchObject({
      webhookUrl: OTHER_HOOK,
      retryPolicy: 'STANDARD',
      listNews: true,
      identifiers: [one],
    });
    expect(await deliveriesOf(id)).toMatchObject([{ state: 'pending', host: 'localhost' }]);
    const due = await app.db('endpoint_partitions').where({ host: 'localhost' }).whereNotNull('due_at');
    expect(due).toHaveLength(1);
    expect((await update({ id, webhookUrl: null })).webhookUrl).toBeNull();
    expect(await deliveriesOf(id)).toMatchObject([{ state: 'dropped' }]);
    await call(app, 'DELETE', `${PATH}/${id}`);
  });

  it.each([
    ['a malformed id to add', { addIdentifiers: [one, '11.222.333/0001-80'] }, 'addIdentifiers.1'],
    ['a malformed id to remove', { removeIdentifiers: ['x'] }, 'removeIdentifiers.0'],
    ['a company to add and to remove', { addIdentifiers: [two], removeIdentifiers: [two] }, 'removeIdentifiers'],
    ['the removal of every company', { removeIdentifiers: [one] }, 'removeIdentifiers'],
    ['more than 500 companies', { addIdentifiers: Array.from({ length: 500 }, (_, n) => cnpj(2_000 + n)) }, 'addIdentifiers'],
    ['a private address', { webhookUrl: 'https://10.0.0.1/hook' }, 'webhookUrl'],
  ])('rejects %s and changes nothing', async (_, over, field) => {
    const { subscription_id: id } = await subscribe(app, { identifiers: [one] });
    const before = [await app.db('monitors').orderBy('id'), await app.db('monitor_companies').orderBy('monitor_id'), await watched()];
    const { body } = await app.query(UPDATE, { input: { id, ...over } });
    expect(body.errors).toMatchObject([{ path: ['updateMonitor'], extensions: { code: 'INVALID_INPUT', field } }]);
    expect([await app.db('monitors').orderBy('id'), await app.db('monitor_companies').orderBy('monitor_id'), await watched()]).toEqual(
      before,
    );
    await call(app, 'DELETE', `${PATH}/${id}`);
  });

  it('is rejected beyond the plan, and for a monitor that is cancelled or foreign', async () => {
    const { key } = await app.keys.create({ name: 'full', modules: ['monitor'] });
    const { subscription_id: id } = await subscribe(app, { identifiers: Array.from({ length: 499 }, (_, n) => cnpj(3_000 + n)) }, key);
    await subscribe(app, { identifiers: [cnpj(4_000)] }, key);
    expect(await codes(app, UPDATE, { input: { id, addIdentifiers: [cnpj(4_001)] } }, key)).toEqual(['updateMonitor PLAN_LIMIT_REACHED']);
    expect(await codes(app, UPDATE, { input: { id, addIdentifiers: [cnpj(4_000)] } }, key)).toEqual([]);
    expect(await codes(app, UPDATE, { input: { id } })).toEqual(['updateMonitor MONITOR_NOT_FOUND']);
    await call(app, 'DELETE', `${PATH}/${id}`, key);
    expect(await codes(app, UPDATE, { input: { id, listNews: true } }, key)).toEqual(['updateMonitor MONITOR_NOT_FOUND']);
  });

  it('is written to the audit log', async () => {
    const { subscription_id: id } = await subscribe(app, { identifiers: [one] });
    await update({ id, addIdentifiers: [two], removeIdentifiers: [one], webhookUrl: OTHER_HOOK });
    const entries = await app.db('audit_log').where({ subject: id }).orderBy('id');
    expect(entries.map(({ action, facts }) => [action, facts])).toEqual([
      ['monitor.created', { companies: 1 }],
      ['monitor.updated', { added: 1, removed: 1, webhook: true }],
    ]);
    await call(app, 'DELETE', `${PATH}/${id}`);
  });
});

describe('a monitor without a webhook', () => {
  it('has changes and no deliveries', async () => {
    const { createMonitor } = await data(app, CREATE, { input: { identifiers: [three], country: 'BR' } });
    const { id, webhookUrl } = createMonitor.monitor;
    expect([webhookUrl, createMonitor.secret]).toEqual([null, expect.stringMatching(/^whsec_/)]);
    await publishChanges(app, [three], { at: now });
    const { monitor } = await data(
      app,
      'query ($id: ID!) { monitor(id: $id) { changes { nodes { deliveries { id } } } deliveries { nodes { id } } } }',
      { id },
    );
    expect(monitor).toEqual({ changes: { nodes: [{ deliveries: [] }] }, deliveries: { nodes: [] } });
    const test = 'mutation ($input: TestMonitorInput!) { testMonitor(input: $input) { delivery { id } } }';
    expect(await codes(app, test, { input: { id } })).toEqual(['testMonitor INVALID_INPUT']);
    expect(await update({ id, webhookUrl: HOOK })).toMatchObject({ webhookUrl: HOOK });
    await publishChanges(app, [three], { at: now });
    expect(await deliveriesOf(id)).toHaveLength(1);
    await call(app, 'DELETE', `${PATH}/${id}`);
  });

  it('has an empty webhook_url in REST, whose type stays text', async () => {
    const { createMonitor } = await data(app, CREATE, { input: { identifiers: [three], country: 'BR' } });
    const { id } = createMonitor.monitor;
    expect((await call(app, 'GET', `${PATH}/${id}`)).body).toMatchObject({ subscription_id: id, webhook_url: '' });
    await call(app, 'DELETE', `${PATH}/${id}`);
  });
});

describe('PATCH and GET of one subscription', () => {
  it('change and return it', async () => {
    const { secret: _, ...made } = await subscribe(app, { identifiers: [one] });
    const path = `${PATH}/${made.subscription_id}`;
    expect((await call(app, 'GET', path)).body).toEqual(made);
    const changed = { ...made, identifiers: [two], webhook_url: OTHER_HOOK, retry_policy: 'standard', list_news: true };
    const answer = await patch(app, path, {
      add_identifiers: [two],
      remove_identifiers: [one],
      webhook_url: OTHER_HOOK,
      retry_policy: 'standard',
      list_news: true,
    });
    expect([answer.status, answer.body]).toEqual([200, changed]);
    expect((await call(app, 'GET', path)).body).toEqual(changed);
    expect((await patch(app, path, {})).body).toEqual(changed);
    const refused = await patch(app, path, { add_identifiers: ['x'] });
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'add_identifiers.0']);
    await call(app, 'DELETE', path);
    expect((await patch(app, path, {})).body).toMatchObject({ status: 404, code: 'subscription_not_found' });
    expect((await call(app, 'GET', path)).body).toMatchObject({ subscription_id: made.subscription_id, status: 'cancelled' });
  });
});

describe('Change.observationId', () => {
  it('is the same for all monitors that report the same observation, and differs for another one', async () => {
    const ids = [await subscribe(app, { identifiers: [one] }), await subscribe(app, { identifiers: [one, two] })];
    now += 1_000;
    await publishChanges(app, [one, two], { at: now });
    now += 1_000;
    await publishChanges(app, [one], { at: now });
    const query = `query ($ids: [ID!]) { changes(monitorIds: $ids) { nodes { id observationId company { identifier } monitor { id } } } }`;
    const { nodes } = (await data(app, query, { ids: ids.map(({ subscription_id: id }) => id) })).changes;
    const groups = Object.values(Object.groupBy(nodes as { id: string; observationId: string }[], ({ observationId }) => observationId));
    expect(groups.map((group) => group?.length).sort()).toEqual([1, 2, 2]);
    expect(new Set(nodes.map(({ id }: { id: string }) => id)).size).toBe(5);
    for (const { subscription_id: id } of ids) await call(app, 'DELETE', `${PATH}/${id}`);
  });
});

describe('Company.monitors', () => {
  it('is read in pages with a limit in SQL', async () => {
    const { key } = await app.keys.create({ name: 'paged', modules: ['monitor'] });
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      now += n % 2 === 0 ? 1_000 : 0;
      made.push((await subscribe(app, { identifiers: [one, two] }, key)).subscription_id);
    }
    const limits: unknown[] = [];
    app.db.on(
      'query',
      ({ sql, bindings }: { sql: string; bindings: unknown[] }) => /monitor_companies c/.test(sql) && limits.push(sql, bindings),
    );
    const query = `query ($ids: [String!]!, $after: String) { companies(identifiers: $ids) {
      monitors(first: 2, after: $after) { nodes { id identifiers } pageInfo { hasNextPage endCursor } } } }`;
    const pages: string[][] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { companies } = await data(app, query, { ids: [one, two], after }, key);
      expect(companies[0]).toEqual(companies[1]);
      const { nodes, pageInfo } = companies[0].monitors;
      pages.push(nodes.map(({ id }: { id: string }) => id));
      after = pageInfo.endCursor;
      more = pageInfo.hasNextPage;
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat().toSorted()).toEqual(made.toSorted());
    expect(String(limits[0])).toMatch(/LIMIT query\.first/);
  });
});
