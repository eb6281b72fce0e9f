import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { colombianByScenario } from '../../../sandbox/world/colombia.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { webhookService } from '../../../src/webhooks/service/webhooks.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { until } from '../../support/until.ts';
import { call, data } from './api-requests.ts';
import { receiver } from './webhooks/support.ts';

const NEVER = new AbortController().signal;
const LIST = 'MULTAS_SECOP_I';
const CREATE = 'mutation ($input: CreateMonitorInput!) { createMonitor(input: $input) { monitor { id } } }';
const CHANGES = '{ changes(first: 50) { nodes { identifier source changedFields { field from to list } } } }';
const nit = (scenario: string): string => colombianByScenario(scenario).nit;

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterEach(() => app.sandbox?.faults.clear());
afterAll(() => app.close());

const control = (method: 'PUT' | 'DELETE', scenario: string) =>
  fetch(`${app.sandbox?.url}/_control/lists/${LIST}/${nit(scenario)}`, { method });

/** Syncs the table of fines and compares the watched companies with it. Returns the outcome of the sync. */
async function sync() {
  const result = await app.sources.copies.find(({ name }) => name === LIST)?.sync();
  const { lists } = app.open(monitorService);
  for (const key of await lists.pending()) await lists.compare(key, NEVER);
  return result?.outcome;
}

describe('a monitor of a fined company in the sandbox', () => {
  it('reports a fine that is published and one that is taken back, over webhook, GraphQL and REST', async () => {
    const hook = await receiver();
    const input = { identifiers: [nit('co-fined'), nit('co-supplier')], country: 'CO', webhookUrl: hook.url, listNews: true };
    await data(app, CREATE, { input });
    await app.open(monitorService).checks.check('CO', NEVER);
    await sync();
    expect((await data(app, CHANGES)).changes.nodes).toEqual([]);

    expect((await control('PUT', 'co-supplier')).status).toBe(200);
    expect(await sync()).toBe('loaded');
    await control('DELETE', 'co-fined');
    expect(await sync()).toBe('loaded');
    expect((await data(app, CHANGES)).changes.nodes).toEqual([
      { identifier: nit('co-supplier'), source: LIST, changedFields: [{ field: 'CONTRACT_FINES', from: '0', to: '1', list: LIST }] },
      { identifier: nit('co-fined'), source: LIST, changedFields: [{ field: 'CONTRACT_FINES', from: '2', to: '0', list: LIST }] },
    ]);
    await app.open(webhookService).sender.sendDue();
    await until(() => hook.received.length === 2);
    const bodies = hook.received.map(({ body }) => JSON.parse(body));
    expect(bodies.find(({ identifier }) => identifier === nit('co-supplier'))).toMatchObject({
      country: 'CO',
      changed_fields: { contract_fines: { from: '0', to: '1' } },
    });
    const { body } = await call(app, 'GET', '/v1/changes');
    expect(body.changes).toMatchObject([
      { source: LIST, changed_fields: { contract_fines: { from: '0', to: '1' } } },
      { source: LIST, changed_fields: { contract_fines: { from: '2', to: '0' } } },
    ]);
  });

  it('reports nothing while the table cannot be read', async () => {
    const before = (await data(app, CHANGES)).changes.nodes.length;
    app.sandbox?.faults.set(LIST, { mode: 'down' });
    await control('DELETE', 'co-supplier');
    expect(await sync()).toBe('refused');
    expect((await data(app, CHANGES)).changes.nodes).toHaveLength(before);
    app.sandbox?.faults.clear();
    expect(await sync()).toBe('loaded');
    expect((await data(app, CHANGES)).changes.nodes).toHaveLength(before + 1);
  });
});

describe('the control API of the sandbox', () => {
  it('refuses a company that is not Colombian, and one that does not exist', async () => {
    const put = async (identifier: string) =>
      (await fetch(`${app.sandbox?.url}/_control/lists/${LIST}/${identifier}`, { method: 'PUT' })).status;
    expect(await put('99010001000184')).toBe(400);
    expect(await put('900964705')).toBe(404);
  });
});
