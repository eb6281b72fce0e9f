import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '../../../sandbox/server/server.ts';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { webhookService } from '../../../src/webhooks/service/webhooks.ts';
import { simulators } from '../../sandbox/support.ts';
import { follow, listening, openSocket } from '../../server/sockets/support.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { until } from '../../support/until.ts';
import { data, subscribe } from './api-requests.ts';
import { receiver } from './webhooks/support.ts';

const NEVER = new AbortController().signal;
const { cnpj } = companyByScenario('clean');
const SUBSCRIPTION = 'subscription { companyChanged { identifier source changedFields { field from to } } }';
const CREATE = `mutation ($input: CreateMonitorInput!) { createMonitor(input: $input) { monitor { id recordNews } } }`;

let app: TestApp;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let host: string;
beforeAll(async () => {
  sandbox = await startSandbox({ simulators, now: Date.now });
  app = await testApp({
    env: { QUIPU_RECEITA_URL: `${sandbox.url}/receita_federal`, QUIPU_RECEITA_FALLBACK_URL: `${sandbox.url}/opencnpj` },
  });
  host = await listening(app);
});
afterAll(async () => {
  await app.close();
  await sandbox.close();
});

const patch = (body: object) => fetch(`${sandbox.url}/_control/companies/${cnpj}`, { method: 'PATCH', body: JSON.stringify(body) });
async function check(): Promise<void> {
  await app.db('watched_companies').update({ due_at: new Date(0) });
  await app.open(monitorService).checks.check('BR', NEVER);
}

describe('a change of the registry record in the sandbox', () => {
  it('reaches subscribers and the webhook of a monitor with recordNews, and no webhook of /v1', async () => {
    const plain = await receiver();
    const wanted = await receiver();
    await subscribe(app, { identifiers: [cnpj], webhook_url: plain.url });
    const input = { identifiers: [cnpj], country: 'BR', webhookUrl: wanted.url, recordNews: true };
    expect((await data(app, CREATE, { input })).createMonitor.monitor.recordNews).toBe(true);
    await check();
    const socket = await openSocket(host, app.key);
    await follow(app, socket, 'changes', SUBSCRIPTION);
    const before = socket.messages.length;

    expect((await patch({ name: 'Padaria Nova Ltda', capital: 2500.5, owners: 3, special_situation: 'Falido' })).status).toBe(200);
    await check();
    await app.open(webhookService).sender.sendDue();
    await until(() => wanted.received.length === 1 && socket.messages.length === before + 2);
    const body = JSON.parse(wanted.received[0]?.body ?? '');
    expect(body).toMatchObject({
      identifier: cnpj,
      changed_fields: {
        name: { to: 'PADARIA NOVA LTDA' },
        owners: { to: expect.stringMatching(/\(\*{3}\d{6}\*{2}\)/) },
        capital: { to: '2500.5' },
        special_situation: { from: null, to: 'FALIDO' },
      },
    });
    expect(Object.keys(body.changed_fields)).toEqual(['name', 'owners', 'capital', 'special_situation']);
    const [first, second] = socket.messages.slice(before).map(({ payload }) => payload.data.companyChanged);
    expect(first).toEqual(second);
    expect(first.changedFields).toEqual(
      Object.entries(body.changed_fields).map(([field, values]) => ({ field: field.toUpperCase(), ...(values as object) })),
    );
    expect(await app.db('deliveries').pluck('state')).toHaveLength(1);
    expect(plain.received).toEqual([]);

    await patch({ status: 'SUSPENSA', owners: 2 });
    await check();
    await app.open(webhookService).sender.sendDue();
    await until(() => plain.received.length === 1 && wanted.received.length === 2);
    expect(JSON.parse(plain.received[0]?.body ?? '').changed_fields).toEqual({ status: { from: 'active', to: 'inactive' } });
    expect(Object.keys(JSON.parse(wanted.received[1]?.body ?? '').changed_fields)).toEqual(['status', 'owners']);
  });
});
