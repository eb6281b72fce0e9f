import { mkdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import { openWebShare, type ShareEntry, ShareFailure, type WebShare } from '../../copies/web-share.ts';
import type { SyncProgress } from '../../source.ts';
import { requireComplete } from './folder.ts';
import { ImportRefusal } from './refusal.ts';

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

/** Number of files that are downloaded at once. */
const AT_ONCE = 3;
const MONTH = /^\d{4}-\d{2}$/;

/**
 * Downloads the files of a month and returns their folder. The months are those that the share lists, because they are not published on
 * schedule. Files that were downloaded before are not requested again, and a part of a file is continued.
 * @throws ImportRefusal `not_found`, `incomplete`, `no_space` or `share`
 */
export async function downloadMonth(given: MonthDownload): Promise<string> {
  try {
    const share = openWebShare(given.address, given.pauseMs === undefined ? {} : { pauseMs: given.pauseMs });
    try {
      return await download(share, given);
    } finally {
      await share.close();
    }
  } catch (error) {
    throw error instanceof ShareFailure ? new ImportRefusal('share', error.message, { cause: error }) : error;
  }
}

async function download(share: WebShare, { sharePath, month, tempDir, signal, onProgress }: MonthDownload): Promise<string> {
  onProgress({ step: 'listing', rows: 0, share: null });
  const months = (await share.list(sharePath)).filter(({ name, bytes }) => bytes === null && MONTH.test(name)).map(({ name }) => name);
  const wanted = month ?? months.toSorted().at(-1);
  if (wanted === undefined || !months.includes(wanted))
    throw new ImportRefusal('not_found', `The share has no such month. It has: ${months.toSorted().join(', ') || 'none'}.`);
  const listed = (await share.list(`${sharePath}/${wanted}`)).filter(({ bytes }) => bytes !== null);
  const needed = new Set(requireComplete(listed.map(({ name }) => name)).map((name) => `${name}.zip`));
  const files = listed.filter(({ name }) => needed.has(name));
  const folder = path.join(tempDir, `receita-${wanted}`);
  await mkdir(folder, { recursive: true });
  const total = files.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  await requireRoom(folder, total);

  const waiting = [...files];
  let done = 0;
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      await share.download(`${sharePath}/${wanted}/${file.name}`, file.bytes ?? 0, path.join(folder, file.name), signal);
      done += file.bytes ?? 0;
      onProgress({ step: 'download', rows: 0, share: total === 0 ? null : done / total });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, () => work().catch((error) => stop(error, waiting))));
  return folder;
}

/** Keeps the other downloads from starting further files, and throws the error. */
function stop(error: unknown, waiting: ShareEntry[]): never {
  waiting.length = 0;
  throw error;
}

/** @throws ImportRefusal `no_space` */
async function requireRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < bytes) throw new ImportRefusal('no_space', `The files need ${(bytes / 1e9).toFixed(1)} GB, and less is free.`);
}
