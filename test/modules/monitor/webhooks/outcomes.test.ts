import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listener } from '../../../sources/outbound/support.ts';
import { receiver, setup, taxIdOf } from './support.ts';

const status =
  (code: number, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(code, headers).end(`said ${code}`);
const late =
  (ms: number): RequestListener =>
  (_, response) =>
    void setTimeout(() => response.end('late'), ms);
const headersThen =
  (next: (socket: Socket) => void): RequestListener =>
  ({ socket }) =>
    void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => setTimeout(() => next(socket), 50));
/** Sends one byte of a header line per second. */
const drip: RequestListener = ({ socket }) => {
  socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
  const timer = setInterval(() => socket.write('x'), 1_000);
  socket.on('close', () => clearInterval(timer));
};
/** @param second another receiver's URL */
type Answer = (request: IncomingMessage, response: ServerResponse, second: string) => void;
const elsewhere =
  (code: number): Answer =>
  (request, response, second) =>
    status(code, { location: second })(request, response);

type Case = readonly [what: string, answer: Answer, outcome: string];
const REDIRECTS: readonly Case[] = [301, 302, 303, 307, 308].map((code) => [`${code}`, elsewhere(code), `failed ${code} http_status`]);
const CASES: readonly Case[] = [
  ['200', status(200), 'delivered 200 null'],
  ['201', status(201), 'delivered 201 null'],
  ['204', (_, response) => void response.writeHead(204).end(), 'delivered 204 null'],
  ['299', status(299), 'delivered 299 null'],
  ['304', status(304), 'failed 304 http_status'],
  ['400', status(400), 'failed 400 http_status'],
  ['404', status(404), 'failed 404 http_status'],
  ['410', status(410), 'failed 410 http_status'],
  ['429', status(429, { 'retry-after': '5' }), 'failed 429 http_status'],
  ['500', status(500), 'failed 500 http_status'],
  ['503', status(503), 'failed 503 http_status'],
  ['1xx and nothing more', (_, response) => response.writeProcessing(), 'failed null timeout'],
  ['1xx, then 200', (_, response) => response.writeProcessing(() => response.end()), 'delivered 200 null'],
  ['200 after 9.5 s', late(9_500), 'delivered 200 null'],
  ['200 after 10.5 s', late(10_500), 'failed null timeout'],
  ['headers, a byte a second', drip, 'failed null timeout'],
  ['silence', () => undefined, 'failed null timeout'],
  ['a reset before the headers', ({ socket }) => void socket.resetAndDestroy(), 'failed null connection'],
  ['a reset after the headers', headersThen((socket) => void socket.resetAndDestroy()), 'delivered 200 null'],
  ['an end in the middle of the body', headersThen((socket) => void socket.end()), 'delivered 200 null'],
  ['a body that never ends', headersThen(() => undefined), 'delivered 200 null'],
  ['a body said to be packed', status(200, { 'content-encoding': 'gzip' }), 'delivered 200 null'],
  ['100 KB of headers', status(200, { 'x-long': 'x'.repeat(100_000) }), 'failed null too_large'],
  ['no HTTP at all', ({ socket }) => void socket.end('SSH-2.0-x\r\n'), 'failed null connection'],
  ...REDIRECTS,
];

describe('WH-04 success', () => {
  it(`is a 2xx status within ten seconds and nothing else: ${CASES.length} receivers`, async () => {
    const { db, monitor, change, drain } = await setup();
    const second = await receiver();
    const monitors: string[] = [];
    for (const [, answer] of CASES) {
      const one = await receiver((request, response) => answer(request, response, second.url));
      monitors.push((await monitor(one.url)).id);
    }
    await change([taxIdOf(1)]);
    await drain();
    const rows = await db('deliveries')
      .join('delivery_attempts', 'delivery_id', 'id')
      .select('monitor_id', 'state', 'status', 'error', 'latency_ms');
    const outcomes = new Map(rows.map((row) => [row.monitor_id, `${row.state} ${row.status} ${row.error}`]));
    expect(monitors.map((id, i) => [CASES[i]?.[0], outcomes.get(id)])).toEqual(CASES.map(([what, , outcome]) => [what, outcome]));
    expect(second.received).toEqual([]);
    for (const { latency_ms } of rows) expect(latency_ms).toBeLessThanOrEqual(10_500);
    expect(await db('endpoint_partitions').where({ quick: false })).toHaveLength(5); // five receivers took longer than two seconds
  }, 60_000);

  it('is not reached over https by a plain text answer or a closed port', async () => {
    const { db, monitor, change, drain } = await setup();
    const banner = await listener((socket) => socket.end('220 mail\r\n'));
    await monitor(`https://127.0.0.2:${banner.port}/`);
    await monitor('https://127.0.0.2:1/', { taxIds: [taxIdOf(2)] });
    await change([taxIdOf(1), taxIdOf(2)]);
    await drain();
    expect(await db('delivery_attempts').orderBy('error').pluck('error')).toEqual(['connection', 'tls']);
  });
});

describe('WH-05 one change', () => {
  it.each<[string, RequestListener | null]>([
    ['answers 500', status(500)],
    ['resets before it reads', null],
    ['resets once it has read', ({ socket }) => void socket.resetAndDestroy()],
    [
      'closes the connection that it promised to keep',
      (_, response) => response.setHeader('connection', 'keep-alive').end(() => response.socket?.destroy()),
    ],
  ])(
    'is one request to a receiver that %s',
    async (_, answer) => {
      const { db, monitor, change, drain } = await setup();
      const taxIds = Array.from({ length: 25 }, (_, i) => taxIdOf(i));
      const target = answer ? await receiver(answer) : null;
      const resetting = target ? null : await listener((socket) => socket.resetAndDestroy(), { host: '127.0.0.1' });
      const url = target?.url ?? `http://127.0.0.1:${resetting?.port}/`;
      for (let n = 0; n < 5; n += 1) await monitor(url, { taxIds });
      await change(taxIds);
      await drain();
      expect(target?.received.length ?? resetting?.contacts()).toBe(125);
      expect(new Set(await db('deliveries').pluck('attempts'))).toEqual(new Set([1]));
    },
    60_000,
  );
});
