import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { subscribe } from '../../modules/monitor/api-requests.ts';
import { publishChange } from '../../modules/monitor/feed-support.ts';
import { brazilian } from '../../modules/monitor/support.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { until } from '../../support/until.ts';
import { listening } from './support.ts';

let app: TestApp;
let host: string;
/** Each look at the clock is later than the one before, as in reality. */
let now = Date.parse('2026-11-21T12:00:00Z');
const { cnpj } = companyByScenario('clean');
beforeAll(async () => {
  app = await testApp({ now: () => (now += 1), env: { QUIPU_DEADLINE: '1s', QUIPU_MONITOR_GUARD_MIN: '1000' } });
  host = await listening(app);
  await subscribe(app, { identifiers: [cnpj] });
});
afterAll(() => app.close());

const checks = () => app.open(monitorService).checks.check('BR', new AbortController().signal);
const control = (method: string, path: string, body?: unknown) =>
  fetch(`${app.sandbox?.url}/_control/${path}`, { method, body: body === undefined ? undefined : JSON.stringify(body) });

const QUERY = 'subscription { companyChanged { detectedAt company { kyb { status freshness { fetchedAt cached } } } } }';

/** The first event of a new subscription, published by `work`. */
async function eventOf(work: () => Promise<unknown>) {
  const client = createClient({ url: `ws://${host}/graphql`, webSocketImpl: WebSocket, connectionParams: { 'X-API-Key': app.key } });
  const events = client.iterate({ query: QUERY });
  const first = events.next();
  await until(() => app.open(monitorService).events.subscribers() === 1);
  await work();
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  const { value } = (await first) as { value: any };
  await events.return?.();
  await until(() => app.open(monitorService).events.subscribers() === 0);
  return value;
}

it('an event is answered from what the check fetched, which has the change', async () => {
  await checks();
  await control('PATCH', `companies/${cnpj}`, { status: 'BAIXADA' });
  await app.db('watched_companies').update({ due_at: new Date(now) });
  const { data, errors } = await eventOf(checks);
  expect(errors).toBeUndefined();
  const { company, detectedAt } = data.companyChanged;
  expect(company.kyb).toMatchObject({ status: 'INACTIVE', freshness: { cached: true } });
  expect(Date.parse(company.kyb.freshness.fetchedAt)).toBeLessThanOrEqual(Date.parse(detectedAt));
});

it('an event whose registry does not answer ends at the deadline of a query', async () => {
  await control('PUT', 'faults/receita_federal', { mode: 'hung' });
  const { errors } = await eventOf(() => publishChange(app.db, brazilian(cnpj), now));
  expect(errors).toMatchObject([{ path: ['companyChanged', 'company', 'kyb'], extensions: { code: 'DEADLINE_EXCEEDED' } }]);
});
