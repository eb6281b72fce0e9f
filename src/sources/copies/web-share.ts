import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import { basicAuth } from '../http/basic-auth.ts';
import { retryAfterMs, USER_AGENT } from '../http/message.ts';
import { type ConcurrencyLimit, createConcurrencyLimit } from './concurrency-limit.ts';

/** A public share of files by WebDAV, as Nextcloud serves it. */
export interface WebShare {
  /** Lists a folder. @throws ShareFailure */
  list(folder: string, signal?: AbortSignal): Promise<readonly ShareEntry[]>;
  /**
   * Downloads a file. Bytes of an earlier attempt are kept in `{target}.part` and are not requested again. Several calls may run at once;
   * at most three send requests, and fewer from the time at which the share refuses one.
   * @throws ShareFailure after some attempts without progress, and at once for a file that the share does not give
   */
  download(file: string, bytes: number, target: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** A folder or file in a share. */
export interface ShareEntry {
  readonly name: string;
  /** Size in bytes; null for a folder. */
  readonly bytes: number | null;
  /** Date of its last change as the share prints it; empty if it states none. */
  readonly modified: string;
}

/**
 * Kinds of failures. refused: too many requests, or an overloaded share. not_given: the share does not give the folder or file. failed:
 * all others.
 */
type FailureKind = 'refused' | 'not_given' | 'failed';

/** The share cannot be read. The message has no address, because an address may have a token. */
export class ShareFailure extends Error {
  override readonly name = 'ShareFailure';
  readonly kind: FailureKind;
  /** Time in ms for which the share asked to wait; null for none. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    kind: FailureKind = 'failed',
    { retryAfterMs = null, ...options }: ErrorOptions & { readonly retryAfterMs?: number | null } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

const TIMEOUTS = { headersTimeout: MINUTE_MS, bodyTimeout: MINUTE_MS };
/** Maximum size of the listing of a folder, which is read in one turn. A folder of the registry has 40 files, in some 30 KB. */
const MAX_LISTING_BYTES = 1024 ** 2;
/** Number of attempts in sequence that bring no byte, after which a download fails. */
const MAX_IDLE_ATTEMPTS = 5;
const PAUSE_MS = 2 * SECOND_MS;
/** Number of requests at once, as long as the share refuses none. */
const AT_ONCE = 3;
/** Longest `Retry-After` that a download waits for. After a longer one it fails, and the caller can try again later. */
const MAX_WAIT_MS = 5 * MINUTE_MS;

/** A share by its address in a browser. */
interface ShareAddress {
  /** Address under which the folders of the share are listed. */
  readonly folders: string;
  /** Address under which its files are downloaded. */
  readonly files: string;
  /** Value of the header `Authorization`. */
  readonly authorization: string;
}

/** @param address `https://host/index.php/s/TOKEN` @throws ShareFailure `not_given` for another address */
export function readShareAddress(address: string): ShareAddress {
  const [, base = '', token = ''] = /^(.*?)\/(?:index\.php\/)?s\/([^/?#]+)\/?$/.exec(address) ?? [];
  if (token === '') throw new ShareFailure('The address of the share does not end with /s/ and a token.', 'not_given');
  return {
    folders: `${base}/public.php/webdav/`,
    files: `${base}/public.php/dav/files/${encodeURIComponent(token)}/`,
    authorization: basicAuth(token, ''),
  };
}

/**
 * Creates a client of a share.
 * @param address address of the share in a browser: `https://host/index.php/s/TOKEN`
 * @param pauseMs time between two attempts, which grows with each attempt without progress
 */
export function openWebShare(address: string, { pauseMs = PAUSE_MS }: { readonly pauseMs?: number } = {}): WebShare {
  const { folders, files, authorization } = readShareAddress(address);
  const agent = new Agent({ connections: AT_ONCE + 1, connect: { timeout: 30 * SECOND_MS } });
  const headers = { 'user-agent': USER_AGENT, authorization };
  const caller: Caller = { agent, headers, limit: createConcurrencyLimit(AT_ONCE), pauseMs };

  return {
    list: (folder, signal) => listFolder(`${folders}${escapedPath(folder)}`, folder, caller, signal),
    download: (file, bytes, target, signal) => downloadFile(`${files}${escapedPath(file)}`, bytes, target, { ...caller, signal }),
    close: () => agent.destroy(),
  };
}

interface Caller {
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly limit: ConcurrencyLimit;
  readonly pauseMs: number;
}

async function listFolder(url: string, folder: string, { agent, headers }: Caller, signal?: AbortSignal): Promise<readonly ShareEntry[]> {
  try {
    const answer = await request(url, {
      dispatcher: agent,
      method: 'PROPFIND',
      headers: { ...headers, depth: '1' },
      ...(signal && { signal }),
      ...TIMEOUTS,
    });
    if (answer.statusCode !== 207) throw await refusedBy(answer, 'the listing of a folder');
    let text = '';
    for await (const chunk of answer.body) {
      text += String(chunk);
      if (text.length > MAX_LISTING_BYTES) throw new ShareFailure('The listing of a folder is too long.');
    }
    return entriesOf(text, folder);
  } catch (cause) {
    signal?.throwIfAborted();
    throw cause instanceof ShareFailure ? cause : new ShareFailure('The share cannot be reached.', 'failed', { cause });
  }
}

const UNAVAILABLE = new Set([429, 503]);
const NOT_GIVEN = new Set([401, 403, 404, 410]);

/** Reads the rest of an answer that is an error, and returns the failure. */
async function refusedBy({ statusCode, headers, body }: Dispatcher.ResponseData, what: string): Promise<ShareFailure> {
  await body.dump().catch(() => undefined);
  const kind = UNAVAILABLE.has(statusCode) ? 'refused' : NOT_GIVEN.has(statusCode) ? 'not_given' : 'failed';
  const waitMs = kind === 'refused' ? retryAfterMs(headers) : null;
  const wait = waitMs === null ? '' : ` and asked for ${Math.ceil(waitMs / SECOND_MS)} s without requests`;
  return new ShareFailure(`The share answered ${statusCode} to ${what}${wait}.`, kind, { retryAfterMs: waitMs });
}

/** Downloads a file by as many requests as make progress. Attempts are counted only while no byte arrives. */
async function downloadFile(url: string, bytes: number, target: string, caller: Caller & { readonly signal: AbortSignal }): Promise<void> {
  const { limit, pauseMs, signal } = caller;
  await mkdir(path.dirname(target), { recursive: true });
  if ((await sizeOf(target)) === bytes) return;
  const partial = `${target}.part`;
  let failure: unknown;
  for (let idle = 0; idle < MAX_IDLE_ATTEMPTS; ) {
    const before = await sizeOf(partial);
    if (before === bytes) return rename(partial, target);
    if (before > bytes) await rm(partial); // the file on the share has changed
    let waitMs = 0;
    try {
      await limit.run(() => continueDownload(url, { partial, from: Math.min(before, bytes) % bytes, bytes }, caller), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isFinal(error)) throw error;
      failure = error;
      if (error instanceof ShareFailure && error.kind === 'refused') limit.lower();
      waitMs = error instanceof ShareFailure ? (error.retryAfterMs ?? 0) : 0;
    }
    const hasProgress = (await sizeOf(partial)) > before;
    idle = hasProgress ? 0 : idle + 1;
    if (idle > 0 || waitMs > 0) await sleep(Math.max(pauseMs * idle, waitMs), undefined, { signal });
  }
  throw failure instanceof ShareFailure
    ? failure
    : new ShareFailure('A file of the share cannot be downloaded.', 'failed', { cause: failure });
}

/** True for an answer that another attempt would get again, for a long wait, and for an error of the own disk. */
const isFinal = (error: unknown): boolean =>
  error instanceof ShareFailure
    ? error.kind === 'not_given' || (error.retryAfterMs ?? 0) > MAX_WAIT_MS
    : /^(?:ENOSPC|EACCES|EROFS|EDQUOT)$/.test((error as NodeJS.ErrnoException).code ?? '');

/** A download in progress: the file of its first `from` bytes, and its size. */
interface Partial {
  readonly partial: string;
  readonly from: number;
  readonly bytes: number;
}

/** Requests the rest of a file and appends it. A server that ignores `Range` sends the file from its beginning. */
async function continueDownload(
  url: string,
  { partial, from, bytes }: Partial,
  { agent, headers, signal }: Caller & { readonly signal: AbortSignal },
): Promise<void> {
  const range = from > 0 ? { range: `bytes=${from}-` } : {};
  const answer = await request(url, { dispatcher: agent, headers: { ...headers, ...range }, signal, ...TIMEOUTS });
  const isRest = answer.statusCode === 206 && String(answer.headers['content-range']).startsWith(`bytes ${from}-`);
  if (!isRest && answer.statusCode !== 200) throw await refusedBy(answer, 'a download');
  let left = isRest ? bytes - from : bytes;
  async function* limited(): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      left -= chunk.length;
      if (left < 0) throw new ShareFailure('The share sent more bytes than it listed.');
      yield chunk;
    }
  }
  await pipeline(limited, createWriteStream(partial, { flags: isRest ? 'a' : 'w' }), { signal });
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

const escapedPath = (text: string): string => text.split('/').filter(Boolean).map(encodeURIComponent).join('/');

/** Reads the answer of PROPFIND: the entries of a folder without the folder itself. Prefixes of namespaces are not read. */
function entriesOf(xml: string, folder: string): readonly ShareEntry[] {
  const own = folder.split('/').filter(Boolean).at(-1) ?? 'webdav';
  const entries = xml
    .split(/<[a-z]{0,8}:?response>/i)
    .slice(1)
    .map((text): ShareEntry | null => {
      const href = /<[a-z]{0,8}:?href>([^<]{1,2000})</i.exec(text)?.[1] ?? '';
      const name = decoded(href).split('/').filter(Boolean).at(-1) ?? '';
      const size = /<[a-z]{0,8}:?getcontentlength>(\d{1,15})</i.exec(text)?.[1];
      const modified = /<[a-z]{0,8}:?getlastmodified>([^<]{1,100})</i.exec(text)?.[1] ?? '';
      return name === '' || name === '.' || name === '..' ? null : { name, bytes: size === undefined ? null : Number(size), modified };
    });
  return entries.filter((entry, i): entry is ShareEntry => entry !== null && !(i === 0 && entry.bytes === null && entry.name === own));
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
