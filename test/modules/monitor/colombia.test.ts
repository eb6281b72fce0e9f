import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox } from '../../../sandbox/server/server.ts';
import { ruesSimulator } from '../../../sandbox/upstreams/rues/simulator.ts';
import { colombianByScenario } from '../../../sandbox/world/colombia.ts';
import { nitCheckDigit } from '../../../src/domain/tax-id.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { publish } from '../../../src/modules/monitor/service/publish.ts';
import { webhookService } from '../../../src/webhooks/service/webhooks.ts';
import { overSocket } from '../../server/graphql-shell/support.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { until } from '../../support/until.ts';
import { call, codes, data, patch as patchMonitor, subscribe } from './api-requests.ts';
import { deleteMonitors } from './support.ts';
import { receiver } from './webhooks/support.ts';

const NEVER = new AbortController().signal;
const nit = (scenario: string): string => colombianByScenario(scenario).nit;
const WATCHED = 'co-supplier';
const CREATE = `mutation ($input: CreateMonitorInput!) { createMonitor(input: $input) { monitor { id country identifiers } } }`;
const LOG = `query ($after: String, $identifiers: [String!]) {
  changes(first: 5, after: $after, identifiers: $identifiers) { nodes { company { identifier } } pageInfo { endCursor } } }`;
const FEED = `subscription ($after: String, $identifiers: [String!]) {
  companyChanged(after: $after, identifiers: $identifiers) { company { identifier } } }`;
const CHANGES = '{ changes(first: 50) { nodes { identifier source company { country } changedFields { field from to } } } }';

let app: TestApp;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
beforeAll(async () => {
  sandbox = await startSandbox({ simulators: [ruesSimulator], now: Date.now });
  app = await testApp({ env: { QUIPU_RUES_URL: `${sandbox.url}/rues` } });
});
afterAll(async () => {
  await app.close();
  await sandbox.close();
});
beforeEach(() => deleteMonitors(app.db));
afterEach(() => sandbox.faults.clear());

const control = (method: string, body?: object, scenario = WATCHED) =>
  fetch(`${sandbox.url}/_control/companies/${nit(scenario)}`, { method, ...(body && { body: JSON.stringify(body) }) });
const change = async (body: object, scenario = WATCHED) => expect((await control('PATCH', body, scenario)).status).toBe(200);
const watchNow = async (input: object = {}, scenarios: readonly string[] = [WATCHED]) => {
  const { createMonitor } = await data(app, CREATE, { input: { identifiers: scenarios.map(nit), country: 'CO', ...input } });
  await check();
  return createMonitor.monitor;
};
async function check(): Promise<void> {
  await app.db('watched_companies').update({ due_at: new Date(0) });
  await app.open(monitorService).checks.check('CO', NEVER);
}
/** Makes held observations so old that the next check confirms them. */
const anHourLater = () => app.db('held_changes').update({ held_at: new Date(Date.now() - 2 * HOUR_MS) });
const changes = async () => (await data(app, CHANGES)).changes.nodes;
const fieldsOf = async () => (await changes()).flatMap(({ changedFields }: { changedFields: unknown[] }) => changedFields);
const callsOfRegister = () => sandbox.requestsTo('rues').filter((path) => path.startsWith('/resource')).length;

describe('a monitor of Colombian companies', () => {
  afterEach(async () => {
    await control('DELETE');
  });

  it('reports status, name, year of renewal and representative as the commercial register changes', async () => {
    await watchNow();
    expect(await changes()).toEqual([]);
    await change({ status: 'CANCELADA', name: 'Soluciones Nuevas S.A.S.', last_renewed_year: 2024, representative: 'Gomez Ficticio Luis' });
    await check();
    expect(await changes()).toEqual([
      {
        identifier: nit(WATCHED),
        source: 'RUES',
        company: { country: 'CO' },
        changedFields: [
          { field: 'STATUS', from: 'ACTIVE', to: 'INACTIVE' },
          { field: 'NAME', from: 'SOLUCIONES LA FICCION S.A.S.', to: 'SOLUCIONES NUEVAS S.A.S.' },
          { field: 'OWNERS', from: 'PEREZ INVENTADO ANA', to: 'GOMEZ FICTICIO LUIS' },
          { field: 'LAST_RENEWED_YEAR', from: expect.stringMatching(/^\d{4}$/), to: '2024' },
        ],
      },
    ]);
    await check();
    expect(await changes()).toHaveLength(1);
  });

  it('reports nothing while the register fails, and the change afterwards', async () => {
    await watchNow();
    await change({ status: 'CANCELADA' });
    for (const mode of ['html_200', 'wrong_columns', 'down'] as const) {
      sandbox.faults.set('rues', { mode, match: '/resource' });
      await check();
    }
    expect(await changes()).toEqual([]);
    expect(await app.db('watched_companies').pluck('failures')).toEqual([3]);
    sandbox.faults.clear();
    await check();
    expect(await fieldsOf()).toEqual([{ field: 'STATUS', from: 'ACTIVE', to: 'INACTIVE' }]);
    expect(await app.db('watched_companies').pluck('failures')).toEqual([0]);
  });

  it('keeps the snapshot at a state that is not known, and reports the other companies of the same call', async () => {
    await watchNow({}, [WATCHED, 'co-moved']);
    await change({ status: 'EN REVISIÓN' });
    await change({ status: 'CANCELADA' }, 'co-moved');
    await check();
    expect((await changes()).map(({ identifier }: { identifier: string }) => identifier)).toEqual([nit('co-moved')]);
    await control('DELETE', undefined, 'co-moved');
  });

  it('holds a representative that is gone until a second check, and takes no other order of the words for a change', async () => {
    await watchNow();
    await change({ representative: 'Ana Pérez Inventado' });
    await check();
    expect([await changes(), await app.db('held_changes')]).toEqual([[], []]);
    await change({ representative: '' });
    await check();
    expect([await changes(), await app.db('held_changes').pluck('reason')]).toEqual([[], ['blank']]);
    await anHourLater();
    await check();
    expect(await fieldsOf()).toEqual([{ field: 'OWNERS', from: 'PEREZ INVENTADO ANA', to: '' }]);
  });

  it('watches a company that is not registered, with one call for all companies of a batch', async () => {
    const scenarios = ['co-consortium', ...Array.from({ length: 15 }, (_, i) => `co-crowd-${i + 1}`)];
    const before = callsOfRegister();
    await watchNow({}, scenarios);
    // The second call asks for the consortium by its other column.
    expect(callsOfRegister() - before).toBe(2);
    const statuses = await app.db('watched_companies').orderBy('tax_id').pluck('snapshot');
    expect(statuses.filter(({ status }) => status === 'not_found')).toHaveLength(1);
    expect(statuses.filter(({ status }) => status === 'active')).toHaveLength(15);
  });

  it('publishes the renewals of all companies, and holds a status that changes for all', async () => {
    const scenarios = Array.from({ length: 16 }, (_, i) => `co-crowd-${i + 1}`);
    for (const scenario of scenarios) await change({ last_renewed_year: 2019 }, scenario);
    await watchNow({}, scenarios);
    for (const scenario of scenarios) await change({ last_renewed_year: 2020 }, scenario);
    await check();
    expect(await fieldsOf()).toEqual(scenarios.map(() => ({ field: 'LAST_RENEWED_YEAR', from: '2019', to: '2020' })));
    for (const scenario of scenarios) await change({ status: 'CANCELADA' }, scenario);
    await check();
    expect(await changes()).toHaveLength(16);
    expect(await app.db('held_changes').pluck('reason')).toEqual(scenarios.map(() => 'share'));
    for (const scenario of scenarios) await control('DELETE', undefined, scenario);
  });

  it('compares the names of the register with the sanctions lists', async () => {
    await watchNow({ candidateNews: true, listNews: true }, ['co-several-rows']);
    expect(await app.db('watched_companies').pluck('names')).toEqual([['FABRICA DE TRES CAMARAS S.A.', 'FATRECA']]);
  });
});

describe('the interfaces of a Colombian monitor', () => {
  it('are those of any other: webhook, change log, REST, company', async () => {
    const hook = await receiver();
    const { id } = await watchNow({ webhookUrl: hook.url, recordNews: true });
    await change({ status: 'CANCELADA', last_renewed_year: 2024 });
    await check();
    await app.open(webhookService).sender.sendDue();
    await until(() => hook.received.length === 1);
    expect(JSON.parse(hook.received[0]?.body ?? '')).toMatchObject({
      subscription_id: id,
      identifier: nit(WATCHED),
      country: 'CO',
      changed_fields: { status: { from: 'active', to: 'inactive' }, last_renewed_year: { to: '2024' } },
    });
    expect((await call(app, 'GET', `/v1/monitor/subscriptions/${id}`)).body).toMatchObject({ country: 'CO', record_news: true });
    expect((await call(app, 'GET', `/v1/changes?subscription_id=${id}`)).body.changes).toMatchObject([{ country: 'CO', source: 'rues' }]);
    expect(
      (await patchMonitor(app, `/v1/monitor/subscriptions/${id}`, { add_identifiers: [nit('co-moved')] })).body.identifiers,
    ).toHaveLength(2);
    const query = `{ company(identifier: "${nit(WATCHED)}") { monitors { nodes { id } } changes { nodes { source } } } }`;
    expect((await data(app, query)).company).toEqual({ monitors: { nodes: [{ id }] }, changes: { nodes: [{ source: 'RUES' }] } });
    await control('DELETE');
  });

  it('filter changes by a number that is a NIT, or a RUT as well', async () => {
    await watchNow();
    await change({ status: 'CANCELADA' });
    await check();
    const filtered = (identifiers: string[]) =>
      data(app, 'query ($identifiers: [String!]) { changes(first: 5, identifiers: $identifiers) { nodes { identifier } } }', {
        identifiers,
      });
    expect((await filtered([nit(WATCHED)])).changes.nodes).toEqual([{ identifier: nit(WATCHED) }]);
    expect((await filtered([nit('co-moved'), '76.123.456-0'])).changes.nodes).toEqual([]);
    await control('DELETE');
  });

  it('filter changes by a NIT that begins with neither 8 nor 9 in its bare form, which answers print', async () => {
    const bare = '1000000003';
    await data(app, CREATE, { input: { identifiers: ['100.000.000-3'], country: 'CO' } });
    const after: string = (await data(app, LOG)).changes.pageInfo.endCursor;
    const fields = [{ field: 'status', from: 'active', to: 'inactive' }] as const;
    await app.db.transaction((trx) => publish(trx, [{ company: { country: 'CO', taxId: bare }, source: 'rues', fields }], Date.now()));
    const filtered = async (...identifiers: string[]) => (await data(app, LOG, { after, identifiers })).changes.nodes;
    expect(await filtered('100.000.000-3')).toEqual([{ company: { identifier: bare } }]);
    expect(await filtered(bare)).toEqual([{ company: { identifier: bare } }]);
    expect(await filtered('76.123.456-0', ` ${bare} `)).toEqual([{ company: { identifier: bare } }]);
    const next = await overSocket(app)(FEED, { after, identifiers: [bare] });
    expect(next.body.data).toEqual({ companyChanged: { company: { identifier: bare } } });
    expect(await codes(app, LOG, { identifiers: ['1000000001'] })).toEqual(['changes INVALID_INPUT']);
  });

  it('stop to watch a NIT that begins with neither 8 nor 9 by its bare form, which answers print', async () => {
    const { id } = await watchNow({ identifiers: ['100.000.000-3', nit(WATCHED)] });
    const { body } = await patchMonitor(app, `/v1/monitor/subscriptions/${id}`, { remove_identifiers: ['1000000003'] });
    expect(body.identifiers).toEqual([nit(WATCHED)]);
  });

  it('refuse the number of a natural person, so that it is not stored, and Colombia at the endpoint of the contract', async () => {
    const { body } = await app.query(CREATE, { input: { identifiers: [`79123457-${nitCheckDigit('79123457')}`], country: 'CO' } });
    expect(body.errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', field: 'identifiers.0' } }]);
    expect(await app.db('watched_companies')).toEqual([]);
    await expect(subscribe(app, { identifiers: [nit(WATCHED)], country: 'CO' })).rejects.toThrow(
      'Monitoring over REST is available for BR, CL only.',
    );
  });
});
