import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Agent, request } from 'undici';
import { isoDate, SECOND_MS } from '../../domain/time.ts';
import { basicAuthOf } from '../http/basic-auth.ts';
import { USER_AGENT } from '../http/message.ts';
import { redirectTarget } from '../http/redirect.ts';

/** Facts about a failed download. */
interface DownloadFacts {
  /** True if the file does not exist: the server answered 403 or 404, or the path is missing. */
  readonly absent?: boolean;
  /** True if another try may succeed. */
  readonly retryable?: boolean;
  /** Time in ms to wait that the server requested by `Retry-After`; null without a request. */
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

/**
 * A file could not be downloaded completely. `kind` is one word for operators, e.g. `timeout`, `status_404`, `cut_short`.
 * The message has no URL, because a URL may contain a signature.
 */
export class DownloadFailure extends Error {
  override readonly name = 'DownloadFailure';
  readonly kind: string;
  readonly absent: boolean;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;

  constructor(kind: string, message: string, { absent = false, retryable = false, retryAfterMs = null, cause }: DownloadFacts = {}) {
    super(message, { cause });
    this.kind = kind;
    this.absent = absent;
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Facts about a downloaded file. */
export interface Transfer {
  /** Last segment of the URL after redirects, e.g. `20260930_CEIS.zip`; empty when it has none. */
  readonly name: string;
  readonly bytes: number;
  /** Checksum of the file as written, in hex. */
  readonly sha256: string;
  /** ISO date of the `Last-Modified` header; null without the header. */
  readonly lastModified: string | null;
  /** `ETag` header, unchanged; null without the header. */
  readonly etag: string | null;
}

interface TransferOptions {
  readonly agent: Agent;
  readonly redirectHosts: readonly string[];
  /** Headers for the requested host, such as a key. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits: { readonly wireBytes: number; readonly fileBytes: number };
  readonly signal: AbortSignal;
  /** ETag of the file that the caller already has. An unchanged file is not sent again (`status_304`). */
  readonly unless?: string | null;
  /** Body in JSON of a POST request; a GET request without it. */
  readonly requestBody?: string | undefined;
}

interface Opened {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

const MAX_REDIRECTS = 5;
/**
 * Size from which a body that decompression expands more than `MAX_EXPANSION` times counts as a bomb. Published lists expand 5 to 20
 * times.
 */
const BOMB_BYTES = 16 * 1024 ** 2;
const MAX_EXPANSION = 200;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Downloads one URL to the file `target` in one try. Decompresses, hashes and limits the body while it streams.
 * @throws DownloadFailure for any response except a complete 200 (`status_304`: not modified), or a file that cannot be read
 */
export async function fetchToFile(url: URL, target: string, options: TransferOptions): Promise<Transfer> {
  const { url: final, headers, body } = url.protocol === 'file:' ? openFile(url) : await openHttp(url, options);
  const hash = createHash('sha256');
  const wire = meter(() => options.limits.wireBytes);
  const maxFileBytes = () => Math.min(options.limits.fileBytes, Math.max(BOMB_BYTES, wire.total() * MAX_EXPANSION));
  const file = meter(maxFileBytes, (chunk) => hash.update(chunk));
  try {
    await pipeline([body, wire, ...unpackers(headers, body), file, createWriteStream(target)], { signal: options.signal });
  } catch (cause) {
    throw asFailure(cause, options.signal);
  }
  const promised = headers['content-length'];
  if (promised !== undefined && Number(promised) !== wire.total()) {
    throw new DownloadFailure('cut_short', 'fewer or more bytes than announced', { retryable: true });
  }
  return {
    name: fileName(final),
    bytes: file.total(),
    sha256: hash.digest('hex'),
    lastModified: httpDate(headers['last-modified']),
    etag: headers.etag ?? null,
  };
}

function openFile(url: URL): Opened {
  try {
    return { url, headers: {}, body: createReadStream(fileURLToPath(url)) };
  } catch (cause) {
    throw new DownloadFailure('bad_address', 'not the address of a file on this machine', { cause });
  }
}

async function openHttp(
  start: URL,
  { agent, redirectHosts, headers: own = {}, signal, unless, requestBody }: TransferOptions,
): Promise<Opened> {
  const allowed: ReadonlySet<string> = new Set([start.host, ...redirectHosts]);
  const condition: Readonly<Record<string, string>> = unless ? { 'if-none-match': unless } : {};
  // Credentials are not sent to hosts that the address redirects to.
  const login = basicAuthOf(start);
  const sentToOwnHost = { ...own, ...(login && { authorization: login }) };
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const extra = { ...condition, ...(url.host === start.host && sentToOwnHost) };
    const { statusCode: status, headers, body } = await send({ url, requestBody, extra }, agent, signal);
    if (status === 200) return { url, headers, body };
    body.on('error', () => undefined).destroy(); // destroying the body emits an "aborted" error
    if (!REDIRECTS.has(status) || !headers.location) throw refusal(status, headers);
    url = redirected(url, String(headers.location), allowed);
  }
  throw new DownloadFailure('redirects', `more than ${MAX_REDIRECTS} redirects`);
}

/** One HTTP request. `extra`: headers besides the usual ones. */
interface Sent {
  readonly url: URL;
  readonly requestBody: string | undefined;
  readonly extra: Readonly<Record<string, string>>;
}

async function send({ url, requestBody: body, extra }: Sent, dispatcher: Agent, signal: AbortSignal) {
  const type: Readonly<Record<string, string>> = body === undefined ? {} : { 'content-type': 'application/json' };
  try {
    const headers = { 'user-agent': USER_AGENT, accept: '*/*', 'accept-encoding': 'gzip, deflate, br', ...type, ...extra };
    return await request(url, { dispatcher, signal, headers, ...(body !== undefined && { method: 'POST', body }) });
  } catch (cause) {
    throw asFailure(cause, signal);
  }
}

function redirected(from: URL, location: string, allowed: ReadonlySet<string>): URL {
  const to = redirectTarget(from, location, allowed);
  if (!to) throw new DownloadFailure('redirects', 'redirected to an address that is not expected');
  return to;
}

function refusal(status: number, headers: IncomingHttpHeaders): DownloadFailure {
  const retryAfterMs = retryAfter(headers['retry-after']);
  return new DownloadFailure(`status_${status}`, `answered ${status}`, {
    absent: status === 403 || status === 404,
    retryable: (status >= 500 || status === 408) && retryAfterMs === null,
    retryAfterMs,
  });
}

/**
 * Passes bytes through, counts them and calls `onChunk`. It fails beyond `maxBytes`, which is read for every chunk, so that a
 * decompression bomb fills neither memory nor disk.
 */
function meter(maxBytes: () => number, onChunk: (chunk: Buffer) => void = () => undefined): Transform & { total(): number } {
  let total = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length;
      onChunk(chunk);
      const max = maxBytes();
      if (total > max) done(new DownloadFailure('too_large', `more than ${max} bytes`));
      else done(null, chunk);
    },
  });
  return Object.assign(stream, { total: () => total });
}

function unpackers(headers: IncomingHttpHeaders, body: Readable): Transform[] {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return [];
  const unpacker = UNPACKERS[encoding];
  if (unpacker) return [unpacker()];
  body.on('error', () => undefined).destroy();
  throw new DownloadFailure('encoding', 'a content-encoding that was not offered');
}

function asFailure(cause: unknown, signal: AbortSignal): DownloadFailure {
  if (cause instanceof DownloadFailure) return cause;
  if (signal.aborted && signal.reason instanceof DownloadFailure) return signal.reason;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'ENOENT') return new DownloadFailure('missing', 'no such file', { absent: true, cause });
  if (code.startsWith('UND_ERR_') && code.endsWith('_TIMEOUT'))
    return new DownloadFailure('timeout', 'the connection fell silent', { cause });
  if (/^(Z_|ERR__|ERR_BROTLI)/.test(code)) return new DownloadFailure('broken_body', 'the body cannot be unpacked', { cause });
  if (/^(EISDIR|EACCES|EPERM|ENOSPC)$/.test(code)) return new DownloadFailure('disk', 'a file cannot be read or written', { cause });
  return new DownloadFailure('connection', 'the connection failed', { retryable: !signal.aborted, cause });
}

function fileName(url: URL): string {
  const segment = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function httpDate(text: string | undefined): string | null {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : isoDate(at);
}

/** Parses the `Retry-After` header, in seconds or as a date, to ms from now; null when absent or unreadable. */
function retryAfter(text: string | undefined): number | null {
  if (!text) return null;
  if (/^\d+$/.test(text.trim())) return Number(text) * SECOND_MS;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}
