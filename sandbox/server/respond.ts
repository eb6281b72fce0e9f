import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { type Clock, SECOND_MS } from '../../src/domain/time.ts';
import { bytesOf, type Published, type SimulatedReply } from '../upstreams/simulator.ts';
import type { ActiveFault, FaultMode } from './faults.ts';

/** A reply to send under a fault. */
interface FaultedReply {
  readonly res: ServerResponse;
  readonly reply: SimulatedReply;
  readonly fault: ActiveFault;
  readonly now: Clock;
  /** Aborts when the client disconnects or the sandbox closes. */
  readonly closed: AbortSignal;
}

type FaultResponse = (out: FaultedReply) => Promise<void> | void;

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const MAINTENANCE = '<!doctype html><html><head><title>Em manutenção</title></head><body><h1>Voltamos logo</h1></body></html>';
const NOT_FOUND = '<!doctype html><html><head><title>404</title></head><body><h1>Not Found</h1></body></html>';

/** Modes that break the connection or replace the reply. Every other mode sends the reply with a damaged document. */
const FAULT_RESPONSES: Partial<Record<FaultMode, FaultResponse>> = {
  down: ({ res }) => reset(res),
  slow: async ({ res, reply, fault, closed }) => {
    await wait(fault.ms ?? 3 * SECOND_MS, undefined, { signal: closed });
    await send(res, reply);
  },
  hung: () => undefined,
  silent_after_headers: async ({ res, reply }) => head(res, reply, await bodyOf(reply)).flushHeaders(),
  drip: async ({ res, reply, fault, closed }) => {
    const body = await bodyOf(reply);
    head(res, reply, body).flushHeaders();
    for (const byte of body) {
      res.write(Uint8Array.of(byte));
      await wait(fault.ms ?? SECOND_MS, undefined, { signal: closed });
    }
    res.end();
  },
  reset_mid_body: async ({ res, reply, closed }) => {
    await sendHalf(res, reply);
    // A reset discards the bytes that the client has not read yet.
    await wait(50, undefined, { signal: closed });
    reset(res);
  },
  truncated: async ({ res, reply }) => {
    await sendHalf(res, reply);
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

/** Answers a request with a fault. Rejects with an AbortError when the client disconnects early. */
export async function sendFault(out: FaultedReply): Promise<void> {
  const respond = FAULT_RESPONSES[out.fault.mode];
  await (respond ? respond(out) : send(out.res, out.reply, out.fault.mode));
}

/** Sends a reply. Damages its document if `mode` is one of DAMAGES. */
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

async function sendHalf(res: ServerResponse, reply: SimulatedReply): Promise<void> {
  const body = await bodyOf(reply);
  head(res, reply, body);
  await new Promise((written) => res.write(body.subarray(0, body.length / 2), written));
}

/** Starts a reply without Content-Length and chunked encoding, so that the end of the connection ends the body. */
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

/** Repeats one block: a stream of any length in constant memory. */
function* repeat(block: Buffer, times: number): Generator<Buffer> {
  for (let i = 0; i < times; i += 1) yield block;
}

const MIB = 1_048_576;
let bomb: Promise<Buffer> | undefined;

/** Returns the bomb. It is built on first use and cached, because compression takes a second. */
function gzipBomb(): Promise<Buffer> {
  bomb ??= buffer(Readable.from(repeat(Buffer.alloc(MIB), 200)).pipe(createGzip({ level: 9 })));
  return bomb;
}

/** Share of the rows that remain in the mode `shrunk`. */
const SHRUNK_SHARE = 0.1;

type Damage = (document: Published) => { readonly text?: string; readonly charset?: Published['charset'] };

const textOf = ({ frame, rows }: Published): string => frame(rows);

/** Modes that damage the content of a document. Its compression and headers stay valid. */
const DAMAGES = {
  malformed: (document) => ({ text: BREAK_SYNTAX[document.format](textOf(document)) }),
  wrong_shape: ({ format }) => ({ text: OTHER_SHAPE[format] }),
  wrong_columns: (document) => ({ text: document.renameRequired(textOf(document)) }),
  shrunk: ({ frame, rows }) => ({ text: frame(rows.slice(0, Math.ceil(rows.length * SHRUNK_SHARE))) }),
  wrong_charset: ({ charset }) => ({ charset: charset === 'utf-8' ? 'windows-1252' : 'utf-8' }),
} as const satisfies Partial<Record<FaultMode, Damage>>;

const BREAK_SYNTAX: Readonly<Record<Published['format'], (text: string) => string>> = {
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

/** Encodes the body of a reply. Damages it if the mode is one of DAMAGES and the body is a document. */
export function bodyOf(reply: SimulatedReply, mode?: FaultMode): Promise<Buffer> {
  const { body } = reply;
  const damage: Damage | undefined = mode && mode in DAMAGES ? DAMAGES[mode as keyof typeof DAMAGES] : undefined;
  if (!damage || typeof body === 'string' || Buffer.isBuffer(body)) return bytesOf(body);
  const { text, charset } = damage(body);
  return bytesOf(body, text, charset);
}
