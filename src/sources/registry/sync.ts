import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../../domain/time.ts';
import type { Address, SyncResult } from '../source.ts';
import { createDownloader, DOWNLOAD_LIMITS, type Download, type Downloader, openDownloadFolder, removeFolder } from './download.ts';
import { DownloadFailure } from './download-transfer.ts';
import { type ListFile, ListFileError } from './list-file.ts';
import { openListFile } from './list-file-open.ts';
import type { ListSummary, LoadGuard, RegistrySpec } from './registry.ts';
import type { Approval, StoredVersion, VersionState } from './version-store.ts';

/** The part of the definition of a list by which its file is read and judged. `T`: what its reader yields; `S`: its summary. */
export interface SyncSpec<T, S extends ListSummary>
  extends Pick<RegistrySpec<T>, 'schemaVersion' | 'guard' | 'members' | 'redirectHosts' | 'requestBody' | 'query' | 'downloadLimits'> {
  /** True for a publisher whose ETags are trusted: an unchanged file is not downloaded again. Its file has no companions. */
  readonly isConditional?: boolean;
  read(file: ListFile): AsyncGenerator<T, S, void>;
}

/**
 * Loads what `reading` yields as a new version and makes it current, in one transaction, completely or not at all. `approve` is called
 * once everything is read; null drops the version.
 * @returns the new version; null if it was dropped
 * @throws whatever `reading` or `approve` throw, an abort, or the database's failure
 */
export type Replace<T, S extends ListSummary> = (
  reading: AsyncGenerator<T, S, void>,
  approve: (summary: S, named: number) => Approval | null,
  signal: AbortSignal,
) => Promise<StoredVersion | null>;

interface SyncRun<T, S extends ListSummary> {
  readonly spec: SyncSpec<T, S>;
  readonly address: Address;
  /** Headers that the publisher requires. */
  readonly headers: Readonly<Record<string, string>>;
  readonly store: VersionState;
  readonly now: Clock;
  readonly tempDir: string;
  /** Name prefix of the download folder; unique to the list and its origin. */
  readonly label: string;
  /** True if an operator has approved the file, so that the load guard is skipped. */
  readonly force: boolean;
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, 'error'>;
}

/** A version that was read completely and that the load guard refused. */
export class ImplausibleLoad extends Error {
  override readonly name = 'ImplausibleLoad';
  readonly reason: string;

  /** @param reason reason in one word @param why its counts and those of the previous version */
  constructor(reason: string, why: string) {
    super(why);
    this.reason = reason;
  }
}

/** A version whose content its reader finds implausible. `why` quotes no row. */
export class ImplausibleContent extends ImplausibleLoad {}

const counts = ({ rowsRead, named, publishedOn }: ListCounts): string => `${rowsRead} rows naming ${named}, of ${publishedOn ?? 'no date'}`;

/**
 * One sync: downloads the list and loads it if it changed. The caller holds the list's lock. It deletes all downloaded files.
 * @throws the errors that `describeFailure` describes
 */
export async function syncFromPublisher<T, S extends ListSummary>(run: SyncRun<T, S>, replace: Replace<T, S>): Promise<SyncResult> {
  const { spec, address, headers, store, now, signal } = run;
  const folder = await openDownloadFolder(run.tempDir, run.label, run.log);
  const { redirectHosts = [], requestBody, query, downloadLimits } = spec;
  const limits = { ...DOWNLOAD_LIMITS, ...downloadLimits };
  const downloader = createDownloader({ folder, redirectHosts, headers, requestBody, now, random: Math.random, signal, limits });
  try {
    const files = summed(downloader);
    const { version: current, passedChecksum, etag } = await store.state();
    const isKnown = spec.isConditional && !run.force && current?.schemaVersion === spec.schemaVersion;
    const main = await getUnless(isKnown ? etag : null, files, addressWith(address.url, query));
    if (!main) return await unchanged(run);
    const isPassed = !run.force && current !== null && files.checksum() === passedChecksum;
    if (isPassed || isSame(current, files.checksum(), spec.schemaVersion)) return await unchanged(run, main.etag);
    const file = await openListFile(main, { downloader: files, members: spec.members, maxBytes: limits.fileBytes });
    const approve = (summary: S, named: number) => {
      const checksum = files.checksum();
      // companions are downloaded while reading, so the checksum is complete only now
      if (isSame(current, checksum, spec.schemaVersion)) return null;
      requirePlausible({ ...summary, named }, run, current);
      return { checksum, schemaVersion: spec.schemaVersion, loadedAt: now(), etag: main.etag };
    };
    const version = await replace(spec.read(file), approve, signal);
    return version ? { outcome: 'loaded', version } : await unchanged(run, main.etag);
  } finally {
    await downloader.close();
    await removeFolder(folder, run.log);
  }
}

/** Adds a query to an address, whose other parts stay as they are. */
export function addressWith(address: string, query: Readonly<Record<string, string>> = {}): string {
  const added = String(new URLSearchParams(query));
  return added === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${added}`;
}

const isSame = (current: StoredVersion | null, checksum: string, schemaVersion: number): boolean =>
  current?.checksum === checksum && current.schemaVersion === schemaVersion;

/** Downloads a file; null if the publisher says that it is still the one with this ETag. */
async function getUnless(etag: string | null, downloader: Pick<Downloader, 'get'>, address: string): Promise<Download | null> {
  try {
    return await downloader.get(address, etag);
  } catch (error) {
    if (error instanceof DownloadFailure && error.kind === 'status_304') return null;
    throw error;
  }
}

/**
 * Records a sync of a file that the version that answers was read from.
 * @param etag of the file that was downloaded, if one was
 */
export async function unchanged({ store, now }: Pick<SyncRun<never, never>, 'store' | 'now'>, etag?: string | null): Promise<SyncResult> {
  await store.touch(now(), etag);
  const { version } = await store.state();
  if (!version) throw new Error('the version that answers was deleted during the sync');
  return { outcome: 'unchanged', version };
}

function requirePlausible<T, S extends ListSummary>(
  next: ListCounts & Pick<ListSummary, 'implausible'>,
  { spec, address, force }: SyncRun<T, S>,
  current: StoredVersion | null,
): void {
  if (next.implausible && !force) throw new ImplausibleContent(next.implausible.reason, next.implausible.why);
  const reason = refusalOf(next, spec.guard, { previous: current, isDefaultAddress: address.origin === 'live', force });
  if (reason) throw new ImplausibleLoad(reason, `${counts(next)}; before: ${current ? counts(current) : 'none'}`);
}

/** Wraps a downloader and computes the checksum of everything it downloaded: of the single file, or of all files together. */
function summed(downloader: Downloader): Pick<Downloader, 'get'> & { checksum(): string } {
  const sums: string[] = [];
  return {
    async get(address, unless) {
      const download = await downloader.get(address, unless);
      sums.push(download.sha256);
      return download;
    },
    checksum() {
      const [first = '', ...more] = sums.toSorted();
      return more.length === 0 ? first : createHash('sha256').update(sums.toSorted().join()).digest('hex');
    },
  };
}

/** Reason of a failed sync: a short class for operators, a sentence for the log (without row content), and the `Retry-After` delay. */
export interface SyncFailure {
  readonly reason: string;
  readonly why: string;
  readonly retryAfterMs?: number;
}

export function describeFailure(error: unknown): SyncFailure {
  if (error instanceof ImplausibleLoad) return { reason: error.reason, why: error.message };
  if (error instanceof ListFileError) return { reason: 'not_a_list', why: error.message };
  if (error instanceof DownloadFailure) {
    const why = `${error.kind}: ${[error.message, error.cause instanceof Error ? error.cause.message : ''].filter(Boolean).join(': ')}`;
    return { reason: error.kind === 'timeout' ? 'timeout' : 'download_failed', why, retryAfterMs: error.retryAfterMs ?? undefined };
  }
  return { reason: 'load_failed', why: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** Minimum number of rows at which growth is checked. */
const GROWTH_FLOOR_ROWS = 1_000;

/** Counts that are compared between versions. */
export interface ListCounts extends Pick<ListSummary, 'publishedOn' | 'rowsRead'> {
  /** Number of named legal persons. It detects rows that lost their ids, which still count as rows but match no lookup. */
  readonly named: number;
}

type Refusal = 'empty' | 'too_small' | 'too_large' | 'older' | 'shrunk' | 'grown';

/**
 * Decides whether a new version may replace the current one. Returns the reason for a refusal, or null. An empty version is always
 * refused.
 * @param previous counts of the current version; null when there is none
 * @param isDefaultAddress true for a file from the publisher's default address, the only one that `minRows` applies to
 * @param force true if an operator has approved the file: only an empty one is refused
 */
export function refusalOf(
  next: ListCounts,
  guard: LoadGuard,
  {
    previous,
    isDefaultAddress,
    force,
  }: { readonly previous: ListCounts | null; readonly isDefaultAddress: boolean; readonly force: boolean },
): Refusal | null {
  if (next.rowsRead === 0) return 'empty';
  if (force) return null;
  if (isDefaultAddress && (next.rowsRead < guard.minRows || next.named < (guard.minNamed ?? 0))) return 'too_small';
  const { maxRows = Number.POSITIVE_INFINITY, maxNamed = Number.POSITIVE_INFINITY } = guard;
  if (isDefaultAddress && (next.rowsRead > maxRows || next.named > maxNamed)) return 'too_large';
  if (!previous) return null;
  if (next.publishedOn && previous.publishedOn && next.publishedOn < previous.publishedOn) return 'older';
  const kept = 1 - guard.maxShrink;
  const namesFewer = next.named < previous.named * kept - (guard.namedSlack ?? 0);
  if (next.rowsRead < previous.rowsRead * kept || namesFewer) return 'shrunk';
  return previous.rowsRead >= GROWTH_FLOOR_ROWS && next.rowsRead > previous.rowsRead * (1 + guard.maxGrowth) ? 'grown' : null;
}
