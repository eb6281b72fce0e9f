import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { openWebShare, type ShareEntry, ShareFailure, type WebShare } from '../../copies/web-share.ts';
import type { SyncProgress } from '../../source.ts';
import { requireComplete } from './folder.ts';
import { ImportRefusal } from './refusal.ts';
import { requireSpace } from './space.ts';

/** A download of one month. */
export interface MonthDownload {
  /** Address of the share with its token, and the folder in it that has the months. */
  readonly address: string;
  readonly sharePath: string;
  /** Month, e.g. `2026-10`; null for the newest one that the share lists. */
  readonly month: string | null;
  /** Folder in which the files of each month are kept until the import succeeds. */
  readonly tempDir: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: SyncProgress) => void;
  readonly pauseMs?: number;
}

/** A month as the share lists it. */
export interface ListedMonth {
  readonly month: string;
  readonly files: readonly ShareEntry[];
  /** SHA-256 of the month and of the names, sizes and dates of its files, hex. A month that is published again has another one. */
  readonly listing: string;
}

/** Number of files that are downloaded at once, unless the share refuses requests. */
const AT_ONCE = 3;
const MONTH = /^\d{4}-\d{2}$/;

/**
 * Finds a month on the share. The months are those that the share lists, because they are not published on schedule.
 * @throws ImportRefusal `not_found`, `incomplete` or `share`; the reason of the abort
 */
export const findMonth = (given: MonthDownload): Promise<ListedMonth> =>
  withShare(given, async (share) => {
    const { sharePath, month, signal, onProgress } = given;
    onProgress({ step: 'listing', rows: 0, share: null });
    const months = await monthsOf(share, given);
    const wanted = month ?? months.at(-1);
    if (wanted === undefined || !months.includes(wanted))
      throw new ImportRefusal('not_found', `The share has no such month. It has: ${months.join(', ') || 'none'}.`);
    const listed = (await share.list(`${sharePath}/${wanted}`, signal)).filter(({ bytes }) => bytes !== null);
    const needed = new Set(requireComplete(listed.map(({ name }) => name)).map((name) => `${name}.zip`));
    const files = listed.filter(({ name }) => needed.has(name));
    return { month: wanted, files, listing: digestOf(wanted, files) };
  });

/** Returns the months that the share lists, such as `2026-10`, the oldest first. @throws ImportRefusal `share`; the reason of the abort */
export const listMonths = (given: Pick<MonthDownload, 'address' | 'sharePath' | 'signal' | 'pauseMs'>): Promise<readonly string[]> =>
  withShare(given, (share) => monthsOf(share, given));

async function monthsOf(share: WebShare, { sharePath, signal }: Pick<MonthDownload, 'sharePath' | 'signal'>): Promise<readonly string[]> {
  const entries = await share.list(sharePath, signal);
  return entries
    .filter(({ name, bytes }) => bytes === null && MONTH.test(name))
    .map(({ name }) => name)
    .toSorted();
}

const digestOf = (month: string, files: readonly ShareEntry[]): string => {
  const lines = files.map(({ name, bytes, modified }) => `${name} ${bytes} ${modified}`).toSorted();
  return createHash('sha256')
    .update([month, ...lines].join('\n'))
    .digest('hex');
};

/**
 * Downloads the files of a month and returns their folder. Files that were downloaded before are not requested again, and a part of a file
 * is continued.
 * @throws ImportRefusal `no_space` or `share`; the reason of the abort
 */
export async function downloadMonth(given: MonthDownload, listed?: ListedMonth): Promise<string> {
  const found = listed ?? (await findMonth(given));
  const { month, files } = found;
  const { sharePath, tempDir, signal, onProgress } = given;
  const folder = folderOf(tempDir, found);
  await mkdir(folder, { recursive: true });
  const total = files.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  await requireRoom(folder, files);

  return withShare(given, async (share) => {
    const waiting = [...files];
    let done = 0;
    const work = async (): Promise<void> => {
      for (let file = waiting.shift(); file; file = waiting.shift()) {
        await share.download(`${sharePath}/${month}/${file.name}`, file.bytes ?? 0, path.join(folder, file.name), signal);
        done += file.bytes ?? 0;
        onProgress({ step: 'download', rows: 0, share: total === 0 ? null : done / total });
      }
    };
    await settleAll(Array.from({ length: AT_ONCE }, () => work().catch((error) => stop(error, waiting))));
    return folder;
  });
}

/** Returns the folder of the downloads of a listing. */
export const folderOf = (tempDir: string, { month, listing }: Pick<ListedMonth, 'month' | 'listing'>): string =>
  path.join(tempDir, `receita-${month}-${listing.slice(0, 12)}`);

/** Deletes the downloads of older listings of the same month. */
export async function deleteOlderDownloads(tempDir: string, listed: ListedMonth): Promise<void> {
  const kept = path.basename(folderOf(tempDir, listed));
  await mkdir(tempDir, { recursive: true });
  for (const name of await readdir(tempDir))
    if (name.startsWith(`receita-${listed.month}-`) && name !== kept) await rm(path.join(tempDir, name), { recursive: true, force: true });
}

/** Waits for all, so that none writes after a failure was reported. @throws the error of the first that failed */
async function settleAll(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Keeps the other downloads from starting further files, and throws the error. */
function stop(error: unknown, waiting: ShareEntry[]): never {
  waiting.length = 0;
  throw error;
}

/** Checks the room for the bytes that are not on the disk yet. @throws ImportRefusal `no_space` */
async function requireRoom(folder: string, files: readonly ShareEntry[]): Promise<void> {
  const missing = await Promise.all(
    files.map(async ({ name, bytes }) => {
      const target = path.join(folder, name);
      return (bytes ?? 0) - Math.max(await sizeOf(target), await sizeOf(`${target}.part`));
    }),
  );
  const needed = missing.reduce((sum, bytes) => sum + Math.max(0, bytes), 0);
  await requireSpace(folder, needed, 'The rest of the download');
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

/** Calls `work` with the share. @throws ImportRefusal `share` for each of its failures */
async function withShare<T>(
  { address, pauseMs }: Pick<MonthDownload, 'address' | 'pauseMs'>,
  work: (share: WebShare) => Promise<T>,
): Promise<T> {
  try {
    const share = openWebShare(address, pauseMs === undefined ? {} : { pauseMs });
    try {
      return await work(share);
    } finally {
      await share.close();
    }
  } catch (error) {
    throw error instanceof ShareFailure ? refusalOf(error) : error;
  }
}

const ADVICE = ' Its address, its token or its folder may have changed: QUIPU_RECEITA_SHARE_URL, QUIPU_RECEITA_SHARE_PATH.';

const refusalOf = (failure: ShareFailure): ImportRefusal =>
  new ImportRefusal('share', `${failure.message}${failure.kind === 'not_given' ? ADVICE : ''}`, {
    cause: failure,
    retryAfterMs: failure.retryAfterMs,
  });
