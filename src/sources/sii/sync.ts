import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import { type Clock, MINUTE_MS } from '../../domain/time.ts';
import {
  createDownloader,
  DOWNLOAD_LIMITS,
  type Downloader,
  type DownloadLimits,
  openDownloadFolder,
  removeFolder,
} from '../registry/download.ts';
import { DownloadFailure } from '../registry/download-transfer.ts';
import { ImplausibleLoad, unchanged } from '../registry/sync.ts';
import type { SyncProgress, SyncResult } from '../source.ts';
import { openRegistryFiles, type Published } from './published.ts';
import { type ReadSummary, readRegistryFiles } from './read.ts';
import type { LoadVersion, SiiState, StoredFiles } from './store.ts';

interface SyncRun {
  readonly store: SiiState;
  /** URLs of the files, with the file of the companies first. */
  readonly addresses: readonly string[];
  /** Paths of local files to read instead; null to download. */
  readonly files: readonly string[] | null;
  /** True when the files come from the publisher's default addresses. */
  readonly isDefaultAddress: boolean;
  readonly isSandbox: boolean;
  /** Version of the stored columns and of their reader. */
  readonly schemaVersion: number;
  readonly now: Clock;
  readonly random: () => number;
  readonly tempDir: string;
  /** Name of the run's folder; unique per origin. */
  readonly label: string;
  readonly force: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: SyncProgress) => void;
  readonly log: Pick<Logger, 'error'>;
}

const LIMITS: DownloadLimits = {
  ...DOWNLOAD_LIMITS,
  wireBytes: 2 * 1024 ** 3,
  fileBytes: 4 * 1024 ** 3,
  deadlineMs: 15 * MINUTE_MS,
};

/** A file on disk, downloaded or local. */
interface Fetched extends Published {
  readonly sha256: string;
  /** ISO date; null when unknown. */
  readonly lastModified: string | null;
}

/**
 * Runs one sync; the caller holds the lock. Fetches the files one after the other, loads them if their checksum has changed, and
 * deletes all downloaded files.
 * @throws the errors that `describeFailure` describes
 */
export async function syncFromPublisher(run: SyncRun, load: LoadVersion): Promise<SyncResult> {
  const { store, schemaVersion, now, signal, onProgress } = run;
  const { version: current } = await store.state();
  const previous = await store.files();
  const isRead = current?.schemaVersion === schemaVersion;
  if (isRead && run.isSandbox && !run.files && previous?.byHand) return unchanged(run); // sandbox data must not replace an operator's files
  const folder = await openDownloadFolder(run.tempDir, run.label, run.log);
  try {
    const fetched = run.files ? await Promise.all(run.files.map(localFile)) : await download(run, folder);
    const checksum = checksumOf(fetched);
    if (isRead && current.checksum === checksum) return await unchanged(run);
    const files = await openRegistryFiles(fetched, folder);
    const approve = (read: ReadSummary) => {
      requirePlausible(read, run, previous);
      const publishedOn = fetched[0]?.lastModified ?? `${read.newestYear}-12-31`;
      return { checksum, schemaVersion, publishedOn, byHand: run.files !== null, loadedAt: now() };
    };
    const report = (step: string) => onProgress({ step, rows: 0, share: null });
    const version = await load((id) => readRegistryFiles(files, id, onProgress), approve, report, signal);
    return { outcome: 'loaded', version };
  } finally {
    await removeFolder(folder, run.log);
  }
}

function requirePlausible(next: ReadSummary, { isDefaultAddress, isSandbox, files, force }: SyncRun, previous: StoredFiles | null): void {
  const isMadeUp = isSandbox && files !== null && !previous?.byHand; // sandbox data must not be compared with an operator's files
  const reason = refusalOf(next, { previous: isMadeUp ? null : previous, isDefaultAddress, force });
  if (reason) throw new ImplausibleLoad(reason, `${counts(next)}; before: ${previous ? counts(previous) : 'none'}`);
}

const counts = ({ companies, newestYear, tables }: Omit<StoredFiles, 'byHand'>): string =>
  `${companies} companies up to ${newestYear} (${tables.map(({ table, rows }) => `${table}: ${rows}`).join(', ')})`;

async function download(run: SyncRun, folder: string): Promise<readonly Fetched[]> {
  const { now, random, signal, onProgress } = run;
  const downloader = createDownloader({ folder, redirectHosts: [], now, random, signal, limits: LIMITS });
  try {
    const [main = '', ...others] = run.addresses;
    const addresses = [run.isDefaultAddress ? await newestNomina(main, downloader) : main, ...others];
    const fetched: Fetched[] = [];
    for (const address of addresses) {
      onProgress({ step: path.posix.basename(new URL(address).pathname), rows: 0, share: null });
      fetched.push(await downloader.get(address));
    }
    return fetched;
  } finally {
    await downloader.close();
  }
}

async function localFile(file: string): Promise<Fetched> {
  const handle = await open(file).catch((cause: unknown) => {
    throw new DownloadFailure('missing', 'a file cannot be read', { cause });
  });
  try {
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) break;
      hash.update(chunk.subarray(0, bytesRead));
    }
    return { path: file, name: path.basename(file), sha256: hash.digest('hex'), lastModified: null };
  } finally {
    await handle.close();
  }
}

const CHUNK_BYTES = 256 * 1024;

/** Returns one checksum of all files, independent of their order. */
function checksumOf(files: readonly Fetched[]): string {
  const sums = files.map(({ sha256 }) => sha256).sort();
  return createHash('sha256').update(sums.join()).digest('hex');
}

/** Minimum number of rows of a plausible nómina. One commercial year has nearly a million. */
const MIN_ROWS = 500_000;
/** Maximum share of a table's rows that a new version may lack. */
const MAX_SHRINK = 0.1;

/**
 * Returns the reason, in one word, why a version must not replace the current one; null when it may. A nómina without any company is
 * always refused.
 * @param previous the current version's files; null when there is none, or none to compare with
 * @param isDefaultAddress true for files from the publisher's default address; `MIN_ROWS` applies only there
 * @param force true when an operator has approved the files: skips all checks but the one for an empty nómina
 */
function refusalOf(
  next: ReadSummary,
  {
    previous,
    isDefaultAddress,
    force,
  }: { readonly previous: StoredFiles | null; readonly isDefaultAddress: boolean; readonly force: boolean },
): 'empty' | 'too_small' | 'older' | 'shrunk' | null {
  if (next.newestYear === 0) return 'empty';
  if (force) return null;
  const rowsOf = (name: string): number => next.tables.find(({ table }) => table === name)?.rows ?? 0;
  if (isDefaultAddress && rowsOf('companies') < MIN_ROWS) return 'too_small';
  if (!previous) return null;
  if (next.newestYear < previous.newestYear) return 'older';
  const shrunk = previous.tables.some(({ table, rows }) => rowsOf(table) < rows * (1 - MAX_SHRINK));
  return shrunk || next.companies < previous.companies * (1 - MAX_SHRINK) ? 'shrunk' : null;
}

/** Path of the page on which the registry lists its files; the name of the nómina changes every year. */
const PAGE = '/sobre_el_sii/nominapersonasjuridicas.html';
const NAME = /PUB_EMPRESAS_PJ_\d{4}_A_(\d{4})\.zip/g;

/** Returns the address of the newest nómina that the publisher's page lists, in the same folder; `address` when there is none newer. */
async function newestNomina(address: string, downloader: Pick<Downloader, 'get'>): Promise<string> {
  const names = [...(await pageBeside(address, downloader)).matchAll(NAME), ...address.matchAll(NAME)];
  const newest = names.toSorted((a, b) => Number(b[1]) - Number(a[1]))[0];
  return newest ? address.replace(NAME, newest[0]) : address;
}

async function pageBeside(address: string, downloader: Pick<Downloader, 'get'>): Promise<string> {
  try {
    const page = await downloader.get(new URL(PAGE, address).href);
    return await readFile(page.path, 'latin1');
  } catch (error) {
    if (error instanceof DownloadFailure && error.kind !== 'stopped') return '';
    throw error;
  }
}
