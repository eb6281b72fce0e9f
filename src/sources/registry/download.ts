import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Agent } from 'undici';
import { BRASILIA_OFFSET_MS, type Clock, DAY_MS, isoDate, MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import { beside } from '../copies/after-load.ts';
import { DownloadFailure, fetchToFile, type Transfer } from './download-transfer.ts';

/** Limits of one download. */
export interface DownloadLimits {
  /** Maximum number of received bytes, compressed. */
  readonly wireBytes: number;
  /** Maximum number of written bytes, after decompression. */
  readonly fileBytes: number;
  /** Maximum time from the first request to the last byte, including retries and redirects. */
  readonly deadlineMs: number;
  /** Maximum time without data on a connection. */
  readonly idleMs: number;
}

export const DOWNLOAD_LIMITS: DownloadLimits = {
  wireBytes: 256 * 1024 ** 2,
  fileBytes: 2 * 1024 ** 3,
  deadlineMs: 5 * MINUTE_MS,
  idleMs: 30 * SECOND_MS,
};

/** A completely downloaded file. */
export interface Download extends Transfer {
  readonly path: string;
  /** Requested URL, with `{date}` replaced, before any redirect. It may contain credentials, so it must never be logged. */
  readonly url: URL;
  /** ISO date that replaced `{date}`; null if the address has none. */
  readonly date: string | null;
}

export interface Downloader {
  /**
   * Downloads an http(s) or `file:` address. `{date}` becomes today's YYYYMMDD in Brasília or, if that file does not exist, that of the
   * newest file of the fifteen days before. It retries a quick failure (5xx, reset, cut) once, unless the response has `Retry-After`.
   * @param unless ETag of the file already loaded
   * @throws DownloadFailure, `status_304` for a file that has not changed
   */
  get(address: string, unless?: string | null): Promise<Download>;
  /** Aborts running downloads. */
  close(): Promise<void>;
}

export interface DownloaderOptions {
  /** Existing target folder, which the caller removes. */
  readonly folder: string;
  /** Hosts that a redirect may lead to, besides the original host. */
  readonly redirectHosts: readonly string[];
  /** Headers for the requested host; a redirect to another host does not get them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body in JSON of POST requests; GET requests without it. */
  readonly requestBody?: string | undefined;
  readonly now: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly limits?: DownloadLimits;
}

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_DAYS_BACK = 15;
const RETRY_PAUSE_MS = 2 * SECOND_MS;
/** Matches the placeholder, also in the form of a URL parser. */
const DATE_PLACE = /\{date\}|%7Bdate%7D/gi;

/** One file to fetch. */
interface Wanted {
  readonly url: URL;
  readonly date: string | null;
  readonly unless: string | null;
  readonly stop: AbortSignal;
}

/** Creates a downloader with its own connections, for one sync. */
export function createDownloader(options: DownloaderOptions): Downloader {
  const { folder, redirectHosts, headers = {}, requestBody, now, random, signal, limits = DOWNLOAD_LIMITS } = options;
  const agent = new Agent({
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: { timeout: 10 * SECOND_MS },
    headersTimeout: limits.idleMs,
    bodyTimeout: limits.idleMs,
  });
  let files = 0;

  async function once({ url, date, unless, stop }: Wanted): Promise<Download> {
    files += 1;
    const target = path.join(folder, `download-${files}`);
    const transfer = await fetchToFile(url, target, { agent, redirectHosts, headers, limits, signal: stop, unless, requestBody });
    return { path: target, url, date, ...transfer };
  }

  async function tries(wanted: Wanted): Promise<Download> {
    try {
      return await once(wanted);
    } catch (error) {
      if (!(error instanceof DownloadFailure && error.retryable) || wanted.stop.aborted) throw error;
      await sleep(random() * RETRY_PAUSE_MS, undefined, { signal: wanted.stop });
      return once(wanted);
    }
  }

  async function newest(address: string, unless: string | null, stop: AbortSignal): Promise<Download> {
    if (address.search(DATE_PLACE) < 0) return tries({ url: new URL(address), date: null, unless, stop });
    for (let daysBack = 0; ; daysBack += 1) {
      const date = isoDate(now() + BRASILIA_OFFSET_MS - daysBack * DAY_MS);
      try {
        return await tries({ url: new URL(address.replace(DATE_PLACE, date.replaceAll('-', ''))), date, unless, stop });
      } catch (error) {
        if (!(error instanceof DownloadFailure && error.absent) || daysBack === MAX_DAYS_BACK) throw error;
      }
    }
  }

  return {
    async get(address, unless = null) {
      const deadline = deadlineOf(limits.deadlineMs, signal);
      try {
        return await Promise.race([newest(address, unless, deadline.signal), deadline.passed]);
      } finally {
        deadline.clear();
      }
    },
    close: () => agent.destroy(),
  };
}

/** Creates a timer independent of the HTTP client, which waits for ever after some broken responses and ignores its abort signal. */
function deadlineOf(ms: number, outer: AbortSignal): { passed: Promise<never>; signal: AbortSignal; clear: () => void } {
  const abort = new AbortController();
  let clear = (): void => undefined;
  const passed = new Promise<never>((_, reject) => {
    const give = (failure: DownloadFailure) => {
      reject(failure);
      abort.abort(failure);
    };
    const timer = setTimeout(() => give(new DownloadFailure('timeout', `not complete within ${ms} ms`)), ms);
    const onStop = () => give(new DownloadFailure('stopped', 'the download was cancelled'));
    if (outer.aborted) onStop();
    outer.addEventListener('abort', onStop, { once: true });
    clear = () => {
      clearTimeout(timer);
      outer.removeEventListener('abort', onStop);
      abort.abort();
    };
  });
  passed.catch(() => undefined); // the race may be decided already
  return { passed, signal: abort.signal, clear };
}

/**
 * Creates the download folder of one sync under `tempDir` and removes the folders that killed processes left for the same `label`. A
 * process may run only one sync per label.
 * @param label text of `a-z0-9_-`, unique to the list and its origin
 */
export async function openDownloadFolder(tempDir: string, label: string, log: Pick<Logger, 'error'>): Promise<string> {
  await mkdir(tempDir, { recursive: true });
  const prefix = `${label}.`;
  for (const name of await readdir(tempDir)) {
    if (name.startsWith(prefix) && isLeftover(Number(name.slice(prefix.length).split('.')[0])))
      await removeFolder(path.join(tempDir, name), log);
  }
  return mkdtemp(path.join(tempDir, `${prefix}${process.pid}.`));
}

/** Deletes a download folder. It never throws: an error is logged, and the next sync with the same label deletes the folder. */
export async function removeFolder(folder: string, log: Pick<Logger, 'error'>): Promise<void> {
  const failed = 'downloaded files could not be deleted; the next sync tries again';
  await beside(() => rm(folder, { recursive: true, force: true }), { log, copy: { folder: path.basename(folder) }, failed });
}

/**
 * True for the folder of a process that has ended. Our own process id may be that of a previous process, because a restarted container
 * assigns the same ids.
 */
function isLeftover(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
