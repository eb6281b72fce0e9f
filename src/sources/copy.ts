import type { SourceName } from '../domain/source-names.ts';
import type { ListVersion, SourceInstance } from './source.ts';

/**
 * How a visit to the publisher ended. `busy`: another process is at it. Reasons of a refusal: `download_failed`, `timeout`,
 * `not_a_list`, `empty`, `too_small`, `older`, `shrunk`, `grown`, `load_failed` (ours: the database or the reader), `stopped`, `switched_off`.
 */
export type SyncResult =
  | { readonly outcome: 'loaded'; readonly version: ListVersion }
  | { readonly outcome: 'unchanged'; readonly version: ListVersion }
  | { readonly outcome: 'busy' }
  /** `retryAfterMs`: the publisher asked to be left alone for so long. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly retryAfterMs?: number };

/** How far a visit has come. */
export interface SyncProgress {
  /** What is being done now, e.g. `PUB_EMPRESAS_PJ_2024.txt`. */
  readonly step: string;
  /** Rows of this step read so far. */
  readonly rows: number;
  /** Share of this step that is done, 0 to 1; null where its size is not known. */
  readonly share: number | null;
}

export interface SyncOptions {
  /** Skips the plausibility guard: an operator's word. */
  readonly force?: boolean;
  /** Reads these files in place of the publisher's, where the source can. */
  readonly files?: readonly string[];
  readonly signal?: AbortSignal;
  /** Told now and then; never awaited. */
  readonly onProgress?: (progress: SyncProgress) => void;
}

/** A source that keeps a copy of what a publisher puts out, and answers from the copy. */
export interface Copy extends SourceInstance {
  readonly name: SourceName;
  /** Between visits to the publisher, in ms. */
  readonly everyMs: number;
  /** True where it has no address: there is nobody to visit. */
  readonly off?: boolean;
  /** The edition known to answer, from memory (at most a few seconds old); null when none does. Answers kept for another edition are void. */
  version(): string | null;
  /** Reads again, from the database, which edition answers. */
  refresh(): Promise<void>;
  /** Visits the publisher. Never throws for what the publisher did. */
  sync(options?: SyncOptions): Promise<SyncResult>;
}
