import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import { USER_AGENT } from '../http/message.ts';

/** A public share of files by WebDAV, as Nextcloud serves it. */
export interface WebShare {
  /** Lists a folder. @throws ShareFailure */
  list(folder: string): Promise<readonly ShareEntry[]>;
  /**
   * Downloads a file. Bytes of an earlier attempt are kept in `{target}.part` and are not requested again.
   * @throws ShareFailure after some attempts without progress
   */
  download(file: string, bytes: number, target: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** A folder or file in a share. */
export interface ShareEntry {
  readonly name: string;
  /** Size in bytes; null for a folder. */
  readonly bytes: number | null;
}

/** The share cannot be read. The message has no address, because an address may have a token. */
export class ShareFailure extends Error {
  override readonly name = 'ShareFailure';
}

const TIMEOUTS = { headersTimeout: MINUTE_MS, bodyTimeout: MINUTE_MS };
const MAX_LISTING_BYTES = 4 * 1024 ** 2;
/** Number of attempts in sequence that bring no byte, after which a download fails. */
const MAX_IDLE_ATTEMPTS = 5;
const PAUSE_MS = 2 * SECOND_MS;

/**
 * Creates a client of a share.
 * @param address address of the share in a browser: `https://host/index.php/s/TOKEN`
 * @param pauseMs time between two attempts, which grows with each attempt without progress
 */
export function openWebShare(address: string, { pauseMs = PAUSE_MS }: { readonly pauseMs?: number } = {}): WebShare {
  const [, base = '', token = ''] = /^(.*?)\/(?:index\.php\/)?s\/([^/?#]+)\/?$/.exec(address) ?? [];
  if (token === '') throw new ShareFailure('The address of the share does not end with /s/ and a token.');
  const agent = new Agent({ connections: 4, connect: { timeout: 30 * SECOND_MS } });
  const headers = { 'user-agent': USER_AGENT, authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}` };

  return {
    async list(folder) {
      const url = `${base}/public.php/webdav/${escapedPath(folder)}`;
      try {
        const answer = await request(url, { dispatcher: agent, method: 'PROPFIND', headers: { ...headers, depth: '1' }, ...TIMEOUTS });
        if (answer.statusCode !== 207) throw new ShareFailure(`The share answered ${answer.statusCode} to the listing of a folder.`);
        let text = '';
        for await (const chunk of answer.body) {
          text += String(chunk);
          if (text.length > MAX_LISTING_BYTES) throw new ShareFailure('The listing of a folder is too long.');
        }
        return entriesOf(text, folder);
      } catch (cause) {
        throw cause instanceof ShareFailure ? cause : new ShareFailure('The share cannot be reached.', { cause });
      }
    },

    async download(file, bytes, target, signal) {
      await mkdir(path.dirname(target), { recursive: true });
      if ((await sizeOf(target)) === bytes) return;
      const partial = `${target}.part`;
      const url = `${base}/public.php/dav/files/${encodeURIComponent(token)}/${escapedPath(file)}`;
      let failure: unknown;
      for (let idle = 0; idle < MAX_IDLE_ATTEMPTS; ) {
        const before = await sizeOf(partial);
        if (before === bytes) return rename(partial, target);
        if (before > bytes) await rm(partial); // the file on the share has changed
        try {
          await continueDownload(url, { partial, from: Math.min(before, bytes) % bytes, bytes }, { agent, headers, signal });
        } catch (error) {
          signal.throwIfAborted();
          failure = error;
        }
        if ((await sizeOf(partial)) > before) idle = 0;
        else {
          idle += 1;
          await sleep(pauseMs * idle, undefined, { signal });
        }
      }
      throw new ShareFailure('A file of the share cannot be downloaded.', { cause: failure });
    },

    close: () => agent.destroy(),
  };
}

/** A download in progress: the file of its first `from` bytes, and its size. */
interface Partial {
  readonly partial: string;
  readonly from: number;
  readonly bytes: number;
}

interface Caller {
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Requests the rest of a file and appends it. A server that ignores `Range` sends the file from its beginning. */
async function continueDownload(url: string, { partial, from, bytes }: Partial, { agent, headers, signal }: Caller): Promise<void> {
  const range = from > 0 ? { range: `bytes=${from}-` } : {};
  const answer = await request(url, { dispatcher: agent, headers: { ...headers, ...range }, signal, ...TIMEOUTS });
  const isRest = answer.statusCode === 206 && String(answer.headers['content-range']).startsWith(`bytes ${from}-`);
  if (!isRest && answer.statusCode !== 200) {
    await answer.body.dump();
    throw new ShareFailure(`The share answered ${answer.statusCode} to a download.`);
  }
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
      return name === '' || name === '.' || name === '..' ? null : { name, bytes: size === undefined ? null : Number(size) };
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
