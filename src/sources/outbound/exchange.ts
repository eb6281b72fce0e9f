import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { Client, type Dispatcher } from 'undici';
import { SECOND_MS } from '../../domain/time.ts';
import { BodyTooLarge, type Bytes, readBytes, USER_AGENT } from '../http/message.ts';
import { connectThrough, type EgressProxy } from './egress-proxy.ts';
import { failure, type OutboundAnswer, OutboundFailure } from './outbound.ts';

/** One request to one host; redirects are separate hops. */
export interface Hop {
  readonly url: URL;
  readonly destination: Destination;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly maxBytes: number;
  readonly overflow: 'fail' | 'cut';
  readonly reading: 'whole' | 'head';
  /** Called when the headers have arrived. */
  readonly answered: () => void;
  /** True when redirects are followed, so that their bodies are discarded. */
  readonly redirects: boolean;
}

const MAX_HEADER_BYTES = 16 * 1024;
/** Time in ms for which body bytes are collected after the headers, with `reading: 'head'`. */
const HEAD_READ_MS = 400;
const OWN_HEADERS = {
  'user-agent': USER_AGENT,
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate, br',
};
/** Request headers that callers may not set. */
const WITHHELD = /^(cookie2?|authorization|proxy-.*|x-api-key|host|connection|content-length|transfer-encoding|te|upgrade|expect)$/;

export type HopAnswer = Omit<OutboundAnswer, 'latencyMs'>;

/**
 * Sends one request over a new connection and closes it afterwards.
 * @throws OutboundFailure `connection`, `tls`, `too_large`, `broken_body`; with a proxy `proxy_failed`, `blocked_destination`
 */
export async function exchange(hop: Hop, signal: AbortSignal): Promise<HopAnswer> {
  const client = clientOf(hop, signal);
  try {
    const { statusCode: status, headers, body } = await send(client, hop, signal);
    hop.answered();
    const answer = { url: hop.url, status, headers: lists(headers) };
    if (hop.redirects && isRedirect(answer)) {
      body.on('error', () => undefined).destroy();
      return { ...answer, body: Buffer.alloc(0), cut: false };
    }
    if (hop.reading === 'head') {
      const { bytes, cut } = await readHead(body, hop.maxBytes);
      return { ...answer, body: bytes, cut };
    }
    const { bytes, cut } = await readBytes(body, headers, hop.maxBytes).catch((error: unknown): never => {
      throw failure('broken_body', error);
    });
    if (cut && hop.overflow === 'fail') throw failure('too_large', new BodyTooLarge(`more than ${hop.maxBytes} bytes`));
    return { ...answer, body: bytes, cut };
  } finally {
    client.destroy().catch(() => undefined);
  }
}

/** Collects the body bytes that arrive within `HEAD_READ_MS`. */
async function readHead(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Bytes> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => body.destroy(), HEAD_READ_MS);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) break;
    }
  } catch {
    // the bytes received so far are kept
  } finally {
    clearTimeout(timer);
    body.on('error', () => undefined).destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), cut: size > maxBytes };
}

export const isRedirect = ({ status, headers }: Pick<OutboundAnswer, 'status' | 'headers'>): boolean =>
  [301, 302, 303, 307, 308].includes(status) && headers.location !== undefined;

/** Creates an HTTP client that connects at most once, so that a failed request is not sent again. */
function clientOf({ url, destination }: Hop, signal: AbortSignal): Client {
  let dialled = false;
  return new Client(url.origin, {
    connect: (_, settle) => {
      if (dialled) return settle(failure('connection', 'a second connection is not opened'), null);
      dialled = true;
      dial(destination, signal).then(
        (socket) => settle(null, socket),
        (error: Error) => settle(error, null),
      );
    },
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

async function send(client: Client, { url, method, headers, body }: Hop, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const sent = { ...OWN_HEADERS, ...Object.fromEntries(given.filter(([name]) => !WITHHELD.test(name))) };
  try {
    return await client.request({ path: url.pathname + url.search, method, headers: sent, body, signal, reset: true });
  } catch (error) {
    if (error instanceof OutboundFailure) throw error;
    const tooLarge = (error as { code?: string }).code === 'UND_ERR_HEADERS_OVERFLOW';
    throw failure(tooLarge ? 'too_large' : 'connection', error);
  }
}

const lists = (headers: Dispatcher.ResponseData['headers']): OutboundAnswer['headers'] =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat()]])));

/** Target of a connection. Its addresses were checked; no DNS lookup happens here. */
interface Destination {
  readonly addresses: readonly string[];
  readonly port: number;
  /** Host name that the certificate must match; null for plain http. */
  readonly certifiedFor: string | null;
  /** Proxy; null for a direct connection. */
  readonly proxy: EgressProxy | null;
}

/** Timeout per address for connection and TLS handshake. */
const CONNECT_MS = 5 * SECOND_MS;

/**
 * Connects to the first address that accepts.
 * @throws OutboundFailure `connection`, `tls`, `proxy_failed`, `blocked_destination`
 */
async function dial({ addresses, port, certifiedFor, proxy }: Destination, signal: AbortSignal): Promise<Socket> {
  let fault: OutboundFailure | null = null;
  for (const address of addresses) {
    if (signal.aborted) break;
    const bound = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
    let socket: Socket;
    try {
      socket = await (proxy ? connectThrough(proxy, address, port, bound) : connectTo(address, port, bound));
    } catch (error) {
      fault = error as OutboundFailure;
      if (fault.kind === 'connection') continue;
      throw fault;
    }
    return certifiedFor === null ? socket : secured(socket, certifiedFor, bound);
  }
  throw fault ?? failure('connection', 'no address');
}

async function connectTo(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connectTcp({ host: address, port });
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw failure('connection', error);
  }
}

async function secured(socket: Socket, name: string, signal: AbortSignal): Promise<TLSSocket> {
  const secure = connectTls({
    socket,
    host: name,
    servername: isIP(name) ? undefined : name,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  try {
    await once(secure, 'secureConnect', { signal });
    return secure;
  } catch (error) {
    secure.on('error', () => undefined).destroy();
    throw failure('tls', error);
  }
}
