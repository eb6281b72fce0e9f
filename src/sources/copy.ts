import type { SourceName } from '../domain/catalogue.ts';
import type { ListVersion, SourceInstance } from './source.ts';

/**
 * Result of one sync with the publisher. `busy`: another process is syncing. Reasons of a refusal: `download_failed`, `timeout`,
 * `not_a_list`, `empty`, `too_small`, `older`, `shrunk`, `grown`, `load_failed` (ours: the database or the reader), `stopped`, `switched_off`.
 */
export type SyncResult =
  | { readonly outcome: 'loaded'; readonly version: ListVersion }
  | { readonly outcome: 'unchanged'; readonly version: ListVersion }
  | { readonly outcome: 'busy' }
  /** `retryAfterMs`: the publisher's `Retry-After`. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly retryAfterMs?: number };

/** Progress of a running sync. */
export interface SyncProgress {
  /** Current step, e.g. `PUB_EMPRESAS_PJ_2024.txt`. */
  readonly step: string;
  /** Rows read in this step so far. */
  readonly rows: number;
  /** Share of this step that is done, 0 to 1; null where its size is not known. */
  readonly share: number | null;
}

export interface SyncOptions {
  /** Skips the plausibility checks; the operator vouches for the data. */
  readonly force?: boolean;
  /** Local files to read instead of the publisher's, where the source supports it. */
  readonly files?: readonly string[];
  readonly signal?: AbortSignal;
  /** Called from time to time; never awaited. */
  readonly onProgress?: (progress: SyncProgress) => void;
}

/** A source that keeps a local copy of published data in Postgres and answers from the copy. */
export interface Copy extends SourceInstance {
  readonly name: SourceName;
  /** Interval between syncs, ms. */
  readonly everyMs: number;
  /** True when no address is configured: there is nothing to sync. */
  readonly off?: boolean;
  /** Id of the current version, from memory (a few seconds old at most); null when none is loaded. Answers cached for another version are void. */
  version(): string | null;
  /** Reloads the current version's id from the database. */
  refresh(): Promise<void>;
  /** Downloads and loads the published data if it changed. Never throws for a failure of the publisher. */
  sync(options?: SyncOptions): Promise<SyncResult>;
}
