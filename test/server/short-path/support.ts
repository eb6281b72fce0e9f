import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { MODULES } from '../../../src/domain/catalogue.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import type { TestDb } from '../../support/db.ts';
import { testDbWithLists } from '../../support/sandbox-lists.ts';
import { until } from '../../support/until.ts';

/** A request as it is sent, byte for byte. */
export interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** What a client and the log see of an answer, without the parts that differ between two equal requests: ids, dates and durations. */
export interface Seen {
  readonly status: number | undefined;
  /** Names and values in the order in which they were sent. */
  readonly headers: readonly string[];
  readonly body: string;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

/** Ids that each request creates anew. */
const NEW_IDS = /\b(?:scr|mon)_[0-9a-f]{32}\b/g;

/** A server on a port, and the number of its requests that reached Fastify. */
export interface Listening {
  readonly app: TestApp;
  readonly url: string;
  readonly send: (sent: Sent) => Promise<Seen>;
  readonly fullPaths: () => number;
}

/** Two servers on one database, whose clocks stand still: one as shipped, and one on which every request takes the full path. */
export interface Pair {
  readonly short: Listening;
  readonly full: Listening;
  readonly close: () => Promise<void>;
}

export async function pairOf(env: Readonly<Record<string, string>> = {}): Promise<Pair> {
  const db = await testDbWithLists();
  const now = Date.now();
  const open = (shortPath: boolean) => listening(db, { shortPath, env, now: () => now });
  const [short, full] = await Promise.all([open(true), open(false)]);
  return {
    short,
    full,
    async close() {
      await Promise.all([short.app.close(), full.app.close()]);
      await db.close();
    },
  };
}

/**
 * Plans with a rate limit on every module, and with limits on the cost of operations. The clock of the servers stands still, so that
 * nothing that is spent returns.
 */
export function plansOf({ requests = 1_000_000, points = 100_000_000, ceiling = 10_000 }): string {
  const modules = Object.fromEntries(MODULES.map((module) => [module, { rate: { perMinute: requests, burst: requests } }]));
  return JSON.stringify({ standard: { graphql: { perMinute: points, burst: points, ceiling }, ...modules } });
}

/** The headers of a plain request. */
export const plainHeaders = (key: string): Sent['headers'] => ({
  'content-type': 'application/json',
  'x-api-key': key,
  connection: 'keep-alive',
});

/** Headers beside those of a plain request. An undefined one is not sent. */
export type OwnHeaders = Readonly<Record<string, string | string[] | undefined>>;

export function withHeaders({ headers, ...rest }: Sent, own: OwnHeaders): Sent {
  const given = Object.entries({ ...headers, ...own }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return { ...rest, headers: Object.fromEntries(given) };
}

export interface Both {
  readonly short: Seen;
  readonly full: Seen;
  /** True if the request did not reach Fastify. */
  readonly isShort: boolean;
}

/** Sends a request to both servers, twice, because the first one fills caches. Returns what the second one shows. */
export async function bothPaths(pair: Pair, sent: Sent): Promise<Both> {
  await Promise.all([pair.short.send(sent), pair.full.send(sent)]);
  const before = pair.short.fullPaths();
  const [short, full] = await Promise.all([pair.short.send(sent), pair.full.send(sent)]);
  return { short, full, isShort: pair.short.fullPaths() === before };
}

async function listening(
  db: TestDb,
  options: { shortPath: boolean; env: Readonly<Record<string, string>>; now: () => number },
): Promise<Listening> {
  const app = await testApp({ db, ...options });
  let fullPaths = 0;
  app.server.addHook('onRequest', async () => {
    fullPaths += 1;
  });
  const url = await app.server.listen({ host: '127.0.0.1', port: 0 });
  return { app, url, fullPaths: () => fullPaths, send: (sent) => send(app, url, sent) };
}

async function send(app: TestApp, url: string, { path, method = 'POST', body, headers }: Sent): Promise<Seen> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const isChunked = headers['transfer-encoding'] !== undefined;
    const length = isChunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sending = request(url + path, { method, headers: { ...length, ...headers } }, resolve);
    sending.on('error', reject).end(body);
  });
  const received = await text(answer);
  const id = String(answer.headers['x-request-id']);
  await until(() => app.lines.some(({ reqId, msg }) => reqId === id && msg === 'answered'));
  return {
    status: answer.statusCode,
    headers: answer.rawHeaders.map((part, i) => (part === id || /^date$/i.test(answer.rawHeaders[i - 1] ?? '') ? '…' : part)),
    body: received.replaceAll(id, '…').replaceAll(NEW_IDS, '…'),
    lines: app.lines.filter(({ reqId }) => reqId === id).map(({ reqId: _, time: __, ms: ___, ...line }) => line),
  };
}
