import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { BRASILIA_OFFSET_MS, type Clock, DAY_MS, isoDate, MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import { DownloadFailure, fetchToFile, type Transfer } from './download-transfer.ts';

/** Bounds of one download. */
export interface DownloadLimits {
  /** Bytes received, as they come. */
  readonly wireBytes: number;
  /** Bytes written, content-encoding removed. */
  readonly fileBytes: number;
  /** From the first request to the last byte, tries and redirects included. */
  readonly deadlineMs: number;
  /** Longest silence of a connection. */
  readonly idleMs: number;
}

export const DOWNLOAD_LIMITS: DownloadLimits = {
  wireBytes: 256 * 1024 ** 2,
  fileBytes: 2 * 1024 ** 3,
  deadlineMs: 5 * MINUTE_MS,
  idleMs: 30 * SECOND_MS,
};

/** A published file, whole, on our disk. */
export interface Download extends Transfer {
  readonly path: string;
  /** The address asked for, `{date}` filled in, before any redirect. May hold credentials: never log it. */
  readonly url: URL;
  /** ISO date that stood in for `{date}`; null where the address has none. */
  readonly date: string | null;
}

export interface Downloader {
  /**
   * http(s) or `file:` address → a file. `{date}` becomes today's YYYYMMDD in Brasília, or that of the newest of the ten days
   * before whose file is there. A quick failure (5xx, reset, cut) is tried once more, unless the publisher says when to return.
   * @param unless ETag of the file at hand
   * @throws DownloadFailure, `status_304` for a file that is still the one at hand
   */
  get(address: string, unless?: string | null): Promise<Download>;
  /** Cuts what is still on its way. */
  close(): Promise<void>;
}

export interface DownloaderOptions {
  /** An existing folder that the files go to; theirs to remove who made it. */
  readonly folder: string;
  /** Hosts that a download may be redirected to, besides its own. */
  readonly redirectHosts: readonly string[];
  readonly now: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly limits?: DownloadLimits;
}

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_DAYS_BACK = 10;
const RETRY_PAUSE_MS = 2 * SECOND_MS;
/** Also as a URL parser writes it. */
const DATE_PLACE = /\{date\}|%7Bdate%7D/gi;

/** One file to fetch. */
interface Wanted {
  readonly url: URL;
  readonly date: string | null;
  readonly unless: string | null;
  readonly stop: AbortSignal;
}

/** Fetches files for one visit to a publisher, over connections of its own. */
export function createDownloader({ folder, redirectHosts, now, random, signal, limits = DOWNLOAD_LIMITS }: DownloaderOptions): Downloader {
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
    return { path: target, url, date, ...(await fetchToFile(url, target, { agent, redirectHosts, limits, signal: stop, unless })) };
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

/** A timer of our own beside the abort signal: some broken answers leave an HTTP client waiting for ever, deaf to it. */
function deadlineOf(ms: number, outer: AbortSignal): { passed: Promise<never>; signal: AbortSignal; clear: () => void } {
  const abort = new AbortController();
  let clear = (): void => undefined;
  const passed = new Promise<never>((_, reject) => {
    const give = (failure: DownloadFailure) => {
      reject(failure);
      abort.abort(failure);
    };
    const timer = setTimeout(() => give(new DownloadFailure('timeout', `not complete within ${ms} ms`)), ms);
    const onStop = () => give(new DownloadFailure('stopped', 'the download was called off'));
    if (outer.aborted) onStop();
    outer.addEventListener('abort', onStop, { once: true });
    clear = () => {
      clearTimeout(timer);
      outer.removeEventListener('abort', onStop);
      abort.abort();
    };
  });
  passed.catch(() => undefined); // the race may be over before
  return { passed, signal: abort.signal, clear };
}

/**
 * Makes a folder for one visit to a publisher under `tempDir` and removes those that killed processes left for the same `label`.
 * Only one visit of a label may be under way per process.
 * @param label `a-z0-9_-`, unique to the list and its origin
 */
export async function openDownloadFolder(tempDir: string, label: string): Promise<string> {
  await mkdir(tempDir, { recursive: true });
  const prefix = `${label}.`;
  for (const name of await readdir(tempDir)) {
    if (name.startsWith(prefix) && isLeftover(Number(name.slice(prefix.length).split('.')[0])))
      await removeFolder(path.join(tempDir, name));
  }
  return mkdtemp(path.join(tempDir, `${prefix}${process.pid}.`));
}

export const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** Our own id may be that of a process before us: a restarted container numbers alike. */
function isLeftover(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
