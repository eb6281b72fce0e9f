import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { Agent, request } from 'undici';
import { BenchFailure } from '../harness/bench.ts';
import { built } from '../harness/built.ts';
import type { Marks } from './marks.ts';

/** Publishes a change of a company that contains the mark. It settles after the commit. */
export type PublishChange = (taxId: string, mark: string) => Promise<void>;

/** Publishes `times` changes of each company in one transaction. */
export type PublishTogether = (taxIds: readonly string[], times: number) => Promise<void>;

/** Publishes a change like the service after a check: change log, deliveries and notification in one transaction. */
export async function changeLog(url: string): Promise<{
  publishChange: PublishChange;
  publishTogether: PublishTogether;
  keyFor(name: string): Promise<{ readonly id: string; readonly key: string }>;
  close(): Promise<void>;
}> {
  const { createDb } = await built<typeof import('../../src/db/knex.ts')>('src/db/knex');
  const { createKeys } = await built<typeof import('../../src/auth/api-keys/keys.ts')>('src/auth/api-keys/keys');
  const { publish } = await built<typeof import('../../src/modules/monitor/service/publish.ts')>('src/modules/monitor/service/publish');
  const { SANDBOX_KEY_SECRET } = await built<typeof import('../../src/config/core.ts')>('src/config/core');
  const db = createDb(url, { statementTimeoutMs: 0 });
  const keys = createKeys({ db, now: Date.now, secret: SANDBOX_KEY_SECRET });
  return {
    publishChange: (taxId, mark) => db.transaction((trx) => publish(trx, [changeOf(taxId, mark)], Date.now())),
    publishTogether: (taxIds, times) =>
      db.transaction(async (trx) => {
        for (let time = 0; time < times; time += 1) {
          await publish(
            trx,
            taxIds.map((taxId) => changeOf(taxId, `${time}`)),
            Date.now(),
          );
        }
      }),
    keyFor: (name) => keys.create({ name, modules: ['monitor'] }),
    close: () => db.destroy(),
  };
}

const changeOf = (taxId: string, mark: string) => ({
  company: { country: 'BR', taxId } as const,
  source: 'receita_federal' as const,
  fields: [{ field: 'activity', from: 'Hotéis', to: mark } as const],
  detectedAt: Date.now(),
});

/** Creates the baseline of sockets: a notification that contains the whole event. */
export const notification =
  (client: pg.Client): PublishChange =>
  async (taxId, mark) => {
    const event = { id: `evt_${mark}`, identifier: taxId, changedFields: [{ field: 'ACTIVITY', from: 'Hotéis', to: mark }] };
    await client.query("SELECT pg_notify('bench', $1)", [JSON.stringify(event)]);
  };

/**
 * Creates the baseline of webhooks, which writes the change and posts it to all receivers concurrently in the same process, without
 * signatures and delivery records.
 */
export function plainPosts(client: pg.Client, urls: readonly string[]): { publishChange: PublishChange; close(): Promise<void> } {
  const dispatcher = new Agent({ connections: 16 });
  return {
    async publishChange(taxId, mark) {
      const body = JSON.stringify({ identifier: taxId, changed_fields: { activity: { from: 'Hotéis', to: mark } } });
      await client.query('INSERT INTO bench_changes (body) VALUES ($1)', [body]);
      const post = async (url: string) =>
        (await request(url, { method: 'POST', body, dispatcher, headers: { 'content-type': 'application/json' } })).body.dump();
      await Promise.all(urls.map(post));
    },
    close: () => dispatcher.close(),
  };
}

/** Starts webhook receivers, each on its own port, that answer 204 at once. */
export async function startReceivers(
  count: number,
  receive: (mark: string) => void,
): Promise<{ readonly urls: readonly string[]; close(): void }> {
  const servers = await Promise.all(Array.from({ length: count }, () => startReceiver(receive)));
  return {
    urls: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`),
    close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

async function startReceiver(receive: (mark: string) => void): Promise<Server> {
  const server = createServer(async (req, res) => {
    const { changed_fields: fields } = (await json(req)) as { changed_fields: { activity: { to: string } } };
    receive(fields.activity.to);
    res.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Creates a monitor through the API. @throws BenchFailure when the API refuses it */
export async function createMonitor(url: string, key: string, identifiers: readonly string[], webhookUrl: string): Promise<void> {
  const answer = await fetch(`${url}/v1/monitor/subscriptions`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ identifiers, country: 'BR', webhook_url: webhookUrl }),
  });
  if (answer.status !== 201 && answer.status !== 200)
    throw new BenchFailure(`a monitor was refused: ${answer.status} ${await answer.text()}`);
}

/** Publishes changes at a steady rate, one company after another. Returns their marks. */
export async function publishSteadily(
  publishChange: PublishChange,
  marks: Marks,
  { taxIds, seconds, perSecond }: { readonly taxIds: readonly string[]; readonly seconds: number; readonly perSecond: number },
): Promise<readonly string[]> {
  const sent: Promise<void>[] = [];
  const made: string[] = [];
  const startedAt = performance.now();
  for (let i = 0; i < seconds * perSecond; i += 1) {
    await delay(Math.max(0, startedAt + (i * 1_000) / perSecond - performance.now()));
    const mark = marks.make();
    made.push(mark);
    sent.push(publishChange(taxIds[i % taxIds.length] ?? '', mark));
  }
  await Promise.all(sent);
  return made;
}
