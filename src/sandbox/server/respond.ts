import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { type Clock, SECOND_MS } from '../../domain/time.ts';
import { bytesOf, type Published, type SimulatedReply } from '../upstreams/simulator.ts';
import type { ActiveFault, FaultMode } from './faults.ts';

/** An answer about to go out. */
interface Outgoing {
  readonly res: ServerResponse;
  readonly reply: SimulatedReply;
  readonly fault: ActiveFault;
  readonly now: Clock;
  /** Aborted once the client has gone or the sandbox closes. */
  readonly gone: AbortSignal;
}

type Play = (out: Outgoing) => Promise<void> | void;

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const MAINTENANCE = '<!doctype html><html><head><title>Em manutenção</title></head><body><h1>Voltamos logo</h1></body></html>';
const NOT_FOUND = '<!doctype html><html><head><title>404</title></head><body><h1>Not Found</h1></body></html>';

/** Modes that misuse the connection or replace the answer. The rest send the answer, its document damaged. */
const PLAYS: Partial<Record<FaultMode, Play>> = {
  down: ({ res }) => reset(res),
  slow: async ({ res, reply, fault, gone }) => {
    await wait(fault.ms ?? 3 * SECOND_MS, undefined, { signal: gone });
    await send(res, reply);
  },
  hung: () => undefined,
  silent_after_headers: async ({ res, reply }) => head(res, reply, await bodyOf(reply)).flushHeaders(),
  drip: async ({ res, reply, fault, gone }) => {
    const body = await bodyOf(reply);
    head(res, reply, body).flushHeaders();
    for (const byte of body) {
      res.write(Uint8Array.of(byte));
      await wait(fault.ms ?? SECOND_MS, undefined, { signal: gone });
    }
    res.end();
  },
  reset_mid_body: async ({ res, reply, gone }) => {
    await half(res, reply);
    // A reset discards what the other side has not read yet.
    await wait(50, undefined, { signal: gone });
    reset(res);
  },
  truncated: async ({ res, reply }) => {
    await half(res, reply);
    res.socket?.end();
  },
  cut_json: async ({ res, reply }) => {
    const body = await bodyOf(reply);
    endedByConnection(res, reply).end(body.subarray(0, body.length / 2));
  },
  corrupt_gzip: async ({ res, reply }) => {
    const packed = gzipSync(await bodyOf(reply));
    packed.fill(0xff, Math.floor(packed.length / 2));
    endedByConnection(res, reply, { 'content-encoding': 'gzip' }).end(packed);
  },
  empty: ({ res, reply }) => plain(res, 200, '', reply.headers),
  html_200: ({ res }) => plain(res, 200, MAINTENANCE, HTML),
  html_404: ({ res }) => plain(res, 404, NOT_FOUND, HTML),
  rate_limited: ({ res, fault }) =>
    plain(res, 429, 'Too Many Requests', { 'content-type': 'text/plain', 'x-vercel-mitigated': 'deny', 'retry-after': seconds(fault) }),
  rate_limited_date: ({ res, fault, now }) =>
    plain(res, 429, 'Too Many Requests', { 'content-type': 'text/plain', 'retry-after': new Date(now() + retryMs(fault)).toUTCString() }),
  status_500: ({ res }) => plain(res, 500, '{"message":"Request failed with status code 503","type":"internal_error","name":"AxiosError"}'),
  status_503_retry_after: ({ res, fault }) =>
    plain(res, 503, '{"message":"Serviço temporariamente indisponível, tente novamente."}', {
      'cache-control': 'no-store',
      'retry-after': seconds(fault),
    }),
  gzip_bomb: async ({ res, reply }) => plain(res, 200, await gzipBomb(), { ...reply.headers, 'content-encoding': 'gzip' }),
  endless_body: ({ res, reply }) => {
    res.writeHead(200, reply.headers);
    Readable.from(repeat(Buffer.alloc(65_536, ' '), Number.POSITIVE_INFINITY)).pipe(res);
  },
  big_headers: ({ res, reply }) => send(res, { ...reply, headers: { ...reply.headers, 'x-padding': 'x'.repeat(70_000) } }),
};

/** Plays a fault. Rejects with an AbortError where the client left before the end. */
export async function play(out: Outgoing): Promise<void> {
  const own = PLAYS[out.fault.mode];
  await (own ? own(out) : send(out.res, out.reply, out.fault.mode));
}

/** The answer as it is, its document damaged where a mode says so. */
export async function send(res: ServerResponse, reply: SimulatedReply, mode?: FaultMode): Promise<void> {
  const body = await bodyOf(reply, mode);
  head(res, reply, body).end(body);
}

const head = (res: ServerResponse, { status, headers }: SimulatedReply, body: Buffer): ServerResponse =>
  res.writeHead(status, { ...headers, 'content-length': body.length });

function plain(
  res: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: SimulatedReply['headers'] = { 'content-type': 'application/json' },
): void {
  res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

async function half(res: ServerResponse, reply: SimulatedReply): Promise<void> {
  const body = await bodyOf(reply);
  head(res, reply, body);
  await new Promise((written) => res.write(body.subarray(0, body.length / 2), written));
}

/** Neither Content-Length nor chunks: only the end of the connection says where the body ends. */
function endedByConnection(res: ServerResponse, { status, headers }: SimulatedReply, more: SimulatedReply['headers'] = {}): ServerResponse {
  res.useChunkedEncodingByDefault = false;
  res.writeHead(status, { ...headers, ...more, connection: 'close' }).flushHeaders();
  return res;
}

function reset(res: ServerResponse): void {
  res.socket?.resetAndDestroy();
}

const retryMs = ({ ms = 30 * SECOND_MS }: ActiveFault): number => ms;
const seconds = (fault: ActiveFault): string => String(Math.ceil(retryMs(fault) / SECOND_MS));

/** One block over and over: a stream of any length that takes no memory. */
function* repeat(block: Buffer, times: number): Generator<Buffer> {
  for (let i = 0; i < times; i += 1) yield block;
}

const MIB = 1_048_576;
let bomb: Promise<Buffer> | undefined;

/** Made once, on first use: packing takes a second. */
function gzipBomb(): Promise<Buffer> {
  bomb ??= buffer(Readable.from(repeat(Buffer.alloc(MIB), 200)).pipe(createGzip({ level: 9 })));
  return bomb;
}

/** Share of the rows that stays in a shrunk list. */
const KEPT = 0.1;

type Damage = (document: Published) => { readonly text?: string; readonly charset?: Published['charset'] };

const whole = ({ frame, rows }: Published): string => frame(rows);

/** Modes that change what a document says and leave its framing, packing and headers alone. */
const DAMAGES = {
  malformed: (document) => ({ text: BREAK[document.format](whole(document)) }),
  wrong_shape: ({ format }) => ({ text: OTHER_SHAPE[format] }),
  wrong_columns: (document) => ({ text: document.misname(whole(document)) }),
  shrunk: ({ frame, rows }) => ({ text: frame(rows.slice(0, Math.ceil(rows.length * KEPT))) }),
  wrong_charset: ({ charset }) => ({ charset: charset === 'utf-8' ? 'windows-1252' : 'utf-8' }),
} as const satisfies Partial<Record<FaultMode, Damage>>;

const BREAK: Readonly<Record<Published['format'], (text: string) => string>> = {
  json: (text) => text.replace(':', ' '),
  csv: (text) => replaceAfterMiddle(text, '\n', '\n"'),
  xml: (text) => replaceAfterMiddle(text, '</', '</un'),
  html: (text) => replaceAfterMiddle(text, '</', '<!--'),
};

const OTHER_SHAPE: Readonly<Record<Published['format'], string>> = {
  json: '{}',
  csv: '"id";"nome"\r\n"1";"outra tabela"\r\n',
  xml: '<?xml version="1.0"?>\n<status><message>ok</message></status>\n',
  html: '<!doctype html><html><head><title>Dominio en venta</title></head><body>Compre este dominio</body></html>\n',
};

function replaceAfterMiddle(text: string, what: string, by: string): string {
  const place = text.indexOf(what, Math.floor(text.length / 2));
  return place === -1 ? text + by : text.slice(0, place) + by + text.slice(place + what.length);
}

/** The body of a reply as sent: damaged where the mode says so and the body is a document, else as it is. */
export function bodyOf(reply: SimulatedReply, mode?: FaultMode): Promise<Buffer> {
  const { body } = reply;
  const damage: Damage | undefined = mode && mode in DAMAGES ? DAMAGES[mode as keyof typeof DAMAGES] : undefined;
  if (!damage || typeof body === 'string' || Buffer.isBuffer(body)) return bytesOf(body);
  const { text, charset } = damage(body);
  return bytesOf(body, text, charset);
}
