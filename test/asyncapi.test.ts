import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { companyByScenario } from '../sandbox/world/brazil/world.ts';
import { modules } from '../src/modules/index.ts';
import { monitorService } from '../src/modules/monitor/service/monitor.ts';
import { webhookService } from '../src/webhooks/service/webhooks.ts';
import { publishChange } from './modules/monitor/feed-support.ts';
import { brazilian } from './modules/monitor/support.ts';
import { start, work } from './modules/screening/support.ts';
import { listening, openSocket } from './server/sockets/support.ts';
import { type TestApp, testApp } from './support/app.ts';
import { receiver } from './support/receiver.ts';
import { until } from './support/until.ts';

const root = path.resolve(import.meta.dirname, '..');
const { components } = JSON.parse(readFileSync(path.join(root, 'schema/asyncapi.json'), 'utf8'));
const messageOf = (name: string) => components.messages[name];
/** What a message is by the document: fails for a member that it does not name, too. */
const shapeOf = (name: string) => z.fromJSONSchema(closed(messageOf(name).payload) as never);

/** A JSON schema whose objects have no other members. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const own = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return 'properties' in own ? { additionalProperties: false, ...own } : own;
}

let app: TestApp;
let host: string;
const { cnpj } = companyByScenario('clean');
const company = brazilian(cnpj);
beforeAll(async () => {
  app = await testApp({ env: { QUIPU_OUTBOUND_ALLOW: '127.0.0.1/32' } });
  host = await listening(app);
});
afterAll(() => app.close());

async function watch(webhook_url: string): Promise<string> {
  const { body } = await app.post('/v1/monitor/subscriptions', { identifiers: [cnpj], country: 'BR', webhook_url });
  return body.subscription_id;
}
const startScreening = (over = {}) => start(app, [cnpj], over);

/** Sends the example of a subscription, and returns the first message of its answer. */
async function firstOf(name: string, variables: object, cause: () => Promise<unknown>): Promise<unknown> {
  const socket = await openSocket(host, app.key);
  const [{ payload }] = messageOf(`${name}Subscribe`).examples;
  const before = app.open(monitorService).events.subscribers();
  const message = { ...payload, payload: { ...payload.payload, variables } };
  expect(shapeOf(`${name}Subscribe`).parse(message)).toEqual(message);
  socket.send(message);
  if (name !== 'ScreeningProgress') await until(() => app.open(monitorService).events.subscribers() > before);
  await cause();
  return socket.received();
}

describe('the description of the events', () => {
  it('has the webhooks of all modules, and examples of the shape that it states', () => {
    expect(Object.keys(components.messages)).toEqual(
      expect.arrayContaining(modules.flatMap(({ webhooks = [] }) => webhooks.map(({ name }) => name))),
    );
    for (const [name, { examples }] of Object.entries<{ examples: { payload: unknown }[] }>(components.messages))
      for (const { payload } of examples) expect([name, shapeOf(name).parse(payload)]).toEqual([name, payload]);
  });

  it.each([
    ['ChangeFeed', () => publishChange(app.db, company)],
    ['CompanyChanged', () => publishChange(app.db, company)],
    ['DeliveryUpdates', () => publishChange(app.db, company)],
  ])('%s is what its operation sends', async (name, cause) => {
    await watch((await receiver()).url);
    const message = await firstOf(name, {}, cause);
    expect(shapeOf(name).parse(message)).toEqual(message);
  });

  it('ScreeningProgress is what its operation sends', async () => {
    const id = await startScreening();
    const message = await firstOf('ScreeningProgress', { id }, async () => undefined);
    expect(shapeOf('ScreeningProgress').parse(message)).toEqual(message);
  });

  it('CompanyChange and ScreeningDone are what webhooks receive, with the headers that it names', async () => {
    const { url, received } = await receiver();
    await app.post(`/v1/monitor/subscriptions/${await watch(url)}/test`, {});
    await app.open(webhookService).sender.sendDue();
    await until(() => received.length === 1);
    await startScreening({ webhook_url: url });
    await work(app);
    await app.open(webhookService).sender.sendDue();
    await until(() => received.length === 2);
    for (const [i, name] of ['CompanyChange', 'ScreeningDone'].entries()) {
      const { body, headers } = received[i] ?? { body: '{}', headers: {} };
      expect(shapeOf(name).parse(JSON.parse(body))).toEqual(JSON.parse(body));
      expect(headers).toMatchObject(z.fromJSONSchema(messageOf(name).headers).parse(headers) as object);
    }
  });
});
