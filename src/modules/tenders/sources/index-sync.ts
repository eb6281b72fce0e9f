import type { Logger } from 'pino';
import { AppError, isSourceUnavailable } from '../../../domain/errors.ts';
import type { Clock } from '../../../domain/time.ts';
import { describeFailure, type SyncFailure } from '../../../sources/registry/sync.ts';
import type { SyncOptions } from '../../../sources/source.ts';
import type { IndexRow, Slice, SliceState, TenderIndex } from '../store.ts';
import type { IndexPlan, SliceReading } from './index-plan.ts';

export interface IndexSync extends SyncOptions {
  readonly plan: IndexPlan;
  readonly index: SliceState;
  readonly replace: TenderIndex['replace'];
  readonly now: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** A complete slice that the plausibility check rejects. */
class ImplausibleSlice extends Error {
  override readonly name = 'ImplausibleSlice';
  readonly reason: string;

  constructor(reason: string, rows: number, before: number | null) {
    super(`${rows} rows; before: ${before ?? 'none'}`);
    this.reason = reason;
  }
}

/** Maximum share of its rows that a slice may lose. */
const MAX_SHRINK = 0.1;
/** Number of consecutive failures that ends a sync. */
const MAX_FAILURES_IN_A_ROW = 3;
const PROGRESS_EVERY_ROWS = 1_000;

/**
 * Checks the slices one after another and loads the changed ones. A failed slice does not stop the others.
 * @returns the number of loaded slices
 * @throws the first failure, after the other slices were loaded
 */
export async function syncSlices(sync: IndexSync, slices: readonly string[]): Promise<number> {
  const { plan, index, signal, log, now } = sync;
  const known = new Map((await index.state()).slices.map((slice) => [slice.name, slice]));
  const failures: unknown[] = [];
  let inARow = 0;
  let loaded = 0;
  for (const name of slices) {
    try {
      signal.throwIfAborted();
      const opened = await plan.open(name, ifSameSchema(plan, known.get(name)), { signal });
      if (opened === 'unchanged') await index.touch([name], now());
      else if (opened !== 'absent') {
        await load(sync, name, opened);
        loaded += 1;
      }
      inARow = 0;
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ slice: name, ...describeSyncFailure(error) }, 'slice not loaded; the one before keeps answering');
      failures.push(error);
      inARow += 1;
      if (inARow === MAX_FAILURES_IN_A_ROW) break;
    }
  }
  if (failures.length > 0) throw failures[0];
  return loaded;
}

/** Loads slices from an operator's files. @throws the first failure */
export async function importFiles(sync: IndexSync, files: readonly string[]): Promise<number> {
  const { plan, signal } = sync;
  if (!plan.openFile) throw new AppError('INVALID_INPUT', `${plan.name} has no files to import.`, { field: 'file' });
  for (const file of files) {
    const { slice, ...reading } = await plan.openFile(file, { signal });
    await load(sync, slice, reading);
  }
  return files.length;
}

async function load({ plan, replace, now, signal, force, onProgress }: IndexSync, name: string, reading: SliceReading): Promise<void> {
  async function* counted(): AsyncGenerator<IndexRow> {
    let rows = 0;
    for await (const row of reading.rows) {
      yield row;
      rows += 1;
      if (rows % PROGRESS_EVERY_ROWS === 0) onProgress?.({ step: name, rows, share: reading.share?.() ?? null });
    }
    onProgress?.({ step: name, rows, share: 1 });
  }
  const approve = (rows: number, before: number | null): void => {
    if (rows === 0 && (before ?? (plan.mayBeEmpty ? 0 : 1)) > 0) throw new ImplausibleSlice('empty', rows, before);
    if (!force && before !== null && rows < before * (1 - MAX_SHRINK)) throw new ImplausibleSlice('shrunk', rows, before);
  };
  try {
    const slice = { name, tag: versionedTag(plan, reading.tag), publishedOn: reading.publishedOn, loadedAt: now() };
    await replace(slice, counted(), { signal, approve });
  } finally {
    await reading.close?.();
  }
}

/** Prefixes a tag with the schema version: slices of another version are read again. */
const versionedTag = ({ schemaVersion }: IndexPlan, tag: string | null): string => `${schemaVersion} ${tag ?? ''}`;

function ifSameSchema({ schemaVersion }: IndexPlan, slice: Slice | undefined): Slice | null {
  const [made = '', ...tag] = slice?.tag?.split(' ') ?? [];
  return slice && made === String(schemaVersion) ? { ...slice, tag: tag.join(' ') || null } : null;
}

/** Describes why a sync failed, for operators and the log. */
export function describeSyncFailure(error: unknown): SyncFailure {
  if (error instanceof ImplausibleSlice) return { reason: error.reason, why: error.message };
  if (isSourceUnavailable(error)) {
    const seconds = error.facts.retryAfterSeconds;
    const why = error.cause instanceof Error ? error.cause.message : error.message;
    return { reason: 'download_failed', why, ...(seconds !== undefined && { retryAfterMs: seconds * 1_000 }) };
  }
  return describeFailure(error);
}
