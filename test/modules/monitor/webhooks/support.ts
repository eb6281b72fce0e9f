import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { createKeys } from '../../../../src/auth/api-keys/keys.ts';
import type { Clock } from '../../../../src/domain/time.ts';
import type { FieldChange } from '../../../../src/modules/monitor/domain/change.ts';
import type { Monitor } from '../../../../src/modules/monitor/domain/monitor.ts';
import { publish } from '../../../../src/modules/monitor/service/publish.ts';
import { insertMonitor } from '../../../../src/modules/monitor/store/monitors.ts';
import { connectionsOf } from '../../../sources/outbound/support.ts';
import { type TestDb, testDb } from '../../../support/db.ts';
import { createSender, newSealedSecret, type Sender, type SenderOptions } from './sender.ts';

/** A request that a receiver accepted. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

export interface Receiver {
  readonly url: string;
  readonly host: string;
  readonly received: readonly Received[];
  /** Number of open connections. */
  readonly open: () => number;
}

/** Starts a receiver for one test. It answers once it has read the body. */
export async function receiver(
  answer: RequestListener = (_, response) => void response.end(),
  { host = '127.0.0.1', port: wanted = 0 } = {},
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const at = Date.now();
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    received.push({ headers: request.headers, body, at });
    answer(request, response);
  });
  const open = connectionsOf(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(wanted, host), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}/hook`, host: `${host}:${port}`, received, open: () => open.size };
}

/** A monitor of a test. */
export interface Watch {
  readonly id: string;
  readonly keyId: string;
  readonly secret: string;
  readonly taxIds: readonly string[];
}

export const taxIdOf = (n: number): string => String(n).padStart(14, '0');

/** Creates a database with a key, a sender, and functions that create monitors and changes. Closes them with the test. */
export async function setup(options: SenderOptions = {}) {
  const db = await testDb();
  const now = options.now ?? Date.now;
  const sender = createSender(db.knex, options);
  onTestFinished(async () => {
    await sender.webhooks.close();
    await db.close();
  });
  return { db: db.knex, url: db.url, ...sender, ...(await world(db, sender.webhooks, now)) };
}

async function world({ knex }: TestDb, webhooks: Sender['webhooks'], now: Clock) {
  const keys = createKeys({ db: knex, now, secret: 'a secret for tests', bootstrapKey: undefined });
  const newKey = async (): Promise<string> => (await keys.create({ name: 'test', modules: ['monitor'] })).id;
  const keyId = await newKey();

  async function monitor(
    webhookUrl: string,
    {
      taxIds = [taxIdOf(1)],
      ...more
    }: Partial<Pick<Monitor, 'keyId' | 'retryPolicy' | 'listNews' | 'recordNews' | 'webhookFormat' | 'webhookLanguage'>> & {
      taxIds?: readonly string[];
    } = {},
  ): Promise<Watch> {
    const { secret, sealed } = newSealedSecret();
    const id = randomUUID();
    const companies = taxIds.map((taxId) => ({ country: 'BR' as const, taxId }));
    const format = { webhookFormat: 'standard', webhookLanguage: 'en' } as const;
    const made = { keyId, retryPolicy: 'none' as const, listNews: false, recordNews: false, candidateNews: false, ...format, ...more };
    await knex.transaction((trx) =>
      insertMonitor(trx, { ...made, id, webhookUrl, companies, country: 'BR', identifiers: taxIds, secret: sealed, createdAt: now() }),
    );
    return { id, keyId: made.keyId, secret, taxIds };
  }

  /** Publishes changes in one transaction. */
  async function change(taxIds: readonly string[], fields: readonly FieldChange[] = [STATUS]): Promise<void> {
    await knex.transaction((trx) =>
      publish(
        trx,
        taxIds.map((taxId) => ({ company: { country: 'BR', taxId }, source: 'receita_federal', fields })),
        now(),
      ),
    );
  }

  /** Sends due deliveries until none is left. Asks again every 15 seconds, as the service does: a lease that ended is due again. */
  async function drain(): Promise<void> {
    await webhooks.sendDue();
    const polling = setInterval(() => void webhooks.sendDue(), 15_000);
    const waiting = () => knex('deliveries').whereIn('state', ['pending', 'sending']).where('due_at', '<=', new Date(now())).select('id');
    try {
      await expect.poll(waiting, { timeout: 240_000 }).toEqual([]);
    } finally {
      clearInterval(polling);
    }
  }

  return { keyId, newKey, monitor, change, drain };
}

export const STATUS: FieldChange = { field: 'status', from: 'active', to: 'closed' };
