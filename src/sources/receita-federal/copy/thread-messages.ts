import type { SyncProgress } from '../../source.ts';
import type { MonthFile } from './folder.ts';
import type { RefusalReason } from './refusal.ts';
import type { FileSummary, TableLines } from './store/import-store.ts';
import type { SuppressedHashes } from './suppression.ts';

/** Secret and erasures by which the lines of all files of an import are hashed and left out. The thread gets them when it starts. */
export interface FilterOfLines {
  /** Secret of the installation. */
  readonly secret: string;
  readonly suppressed: SuppressedHashes;
}

/** A file that the thread opens, and its checksum when the import began. */
export type FileInThread = Pick<MonthFile, 'name' | 'path' | 'checksum'>;

/** A message to the thread: the next file, or, without one, a request for the next part of the present one. */
export interface MessageToThread {
  readonly file?: FileInThread;
}

/** An error of the thread. The class of an error is lost between threads. */
export interface FailedReading {
  /** Reason of a refusal; null for another error. */
  readonly reason: RefusalReason | null;
  readonly message: string;
  /** Code of another error, for instance `ENOENT`. */
  readonly code?: string | undefined;
}

/** A message of the thread, with one of the properties. The last one of a file is `summary` or `failed`. */
export interface MessageOfThread {
  readonly part?: TableLines;
  readonly progress?: SyncProgress;
  readonly summary?: FileSummary;
  readonly failed?: FailedReading;
}
