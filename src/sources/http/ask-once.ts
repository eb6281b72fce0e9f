import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { decoded } from '../../domain/encoding.ts';
import { basicAuthOf } from './basic-auth.ts';
import { USER_AGENT } from './message.ts';
import { redirectTarget } from './redirect.ts';

/** A small request to an upstream, outside of its source: without retries, circuit breaker or slots. */
export interface SmallRequest {
  readonly url: URL;
  readonly method?: 'GET' | 'POST' | 'PROPFIND';
  /** Body in JSON. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** True for a file, of which only the beginning is requested. A publisher that ignores that sends the whole file, and the rest is not read. */
  readonly isFile?: boolean;
  /** Hosts that a redirect may lead to, besides the own one. */
  readonly redirectHosts?: readonly string[];
}

/** The beginning of an answer. */
export interface SmallAnswer {
  readonly status: number;
  /** Time until the headers came, ms. */
  readonly ms: number;
  /** Clock of the server minus that of this machine, ms; null if the answer has no date. */
  readonly clockAheadMs: number | null;
  /** At most `MAX_START_BYTES` of the body. */
  readonly start: Buffer;
  /** These bytes as text. */
  readonly text: string;
}

/** An answer that leads elsewhere than the publisher's files are. The message has no address, which may contain a token. */
export class RedirectedElsewhere extends Error {
  override readonly name = 'RedirectedElsewhere';
  readonly code = 'redirected';
}

const MAX_START_BYTES = 512 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_REDIRECTS = 5;

/**
 * Sends one request, follows redirects to allowed hosts, and reads the beginning of the answer. A `file:` URL is read as a file.
 * @param timeoutMs for everything
 * @throws Error for no answer, an answer that breaks off before its beginning is complete, and one that is not complete in time
 */
export async function askOnce(given: SmallRequest, timeoutMs: number): Promise<SmallAnswer> {
  if (given.url.protocol === 'file:') return readStart(given.url);
  const agent = new Agent({ maxHeaderSize: MAX_HEADER_BYTES, connect: { timeout: timeoutMs } });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await follow(given, agent, signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    await agent.destroy();
  }
}

async function follow(given: SmallRequest, agent: Agent, signal: AbortSignal): Promise<SmallAnswer> {
  const { method = 'GET', body: json, headers: own, isFile = false, redirectHosts = [] } = given;
  const startedAt = Date.now();
  const start = given.url;
  const login = basicAuthOf(start);
  const sentToOwnHost = { ...(login && { authorization: login }), ...own };
  const allowedHosts = new Set([start.host, ...redirectHosts]);
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const range = isFile ? { range: `bytes=0-${MAX_START_BYTES - 1}` } : {};
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const headers = {
      'user-agent': USER_AGENT,
      accept: '*/*',
      'accept-encoding': 'identity',
      ...range,
      ...type,
      ...(url.host === start.host && sentToOwnHost),
    };
    const { statusCode, headers: got, body } = await request(url, { dispatcher: agent, method, headers, signal, body: json ?? null });
    if (statusCode >= 300 && statusCode < 400 && got.location) {
      body.on('error', () => undefined).destroy();
      const next = redirectTarget(url, String(got.location), allowedHosts);
      if (!next) throw new RedirectedElsewhere('redirected to another host');
      url = next;
      continue;
    }
    const ms = Date.now() - startedAt;
    const date = Date.parse(String(got.date));
    const bytes = await startOf(body);
    return {
      status: statusCode,
      ms,
      clockAheadMs: Number.isNaN(date) ? null : date - (startedAt + ms / 2),
      start: bytes,
      text: decoded(bytes),
    };
  }
  throw new RedirectedElsewhere('too many redirects');
}

async function startOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_START_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_START_BYTES);
}

async function readStart(url: URL): Promise<SmallAnswer> {
  const startedAt = Date.now();
  const file = await open(fileURLToPath(url));
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_START_BYTES), 0, MAX_START_BYTES, 0);
    const start = buffer.subarray(0, bytesRead);
    return { status: 200, ms: Date.now() - startedAt, clockAheadMs: null, start, text: decoded(start) };
  } finally {
    await file.close();
  }
}
