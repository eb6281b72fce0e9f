import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SyncProgress } from '../../source.ts';
import type { DataMonthFile } from './read-file.ts';
import { ImportRefusal, type RefusalReason } from './refusal.ts';
import type { FileSummary, TableLines } from './store/import-store.ts';
import type { SuppressedHashes } from './suppression.ts';

/** What a thread needs to read a file. It is copied. */
export interface ThreadInput {
  readonly file: Pick<DataMonthFile, 'name' | 'path' | 'checksum'>;
  /** Secret of the installation. */
  readonly secret: string;
  readonly suppressed: SuppressedHashes;
}

/** An error of a thread. The class of an error is lost between threads. */
export interface FailedReading {
  /** Reason of a refusal; null for another error. */
  readonly reason: RefusalReason | null;
  readonly message: string;
  /** Code of another error, for instance `ENOENT`. */
  readonly code?: string | undefined;
}

/** A message of a thread, with one of the properties. */
export interface ThreadMessage {
  readonly part?: TableLines;
  readonly progress?: SyncProgress;
  readonly summary?: FileSummary;
  readonly failed?: FailedReading;
}

/** Maximum number of parts, of some 2 MB, that wait to be stored. */
const WAITING_PARTS = 2;
const THREAD = new URL(`./read-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

/**
 * Reads a file with data of companies as `readDataFile` does, in a thread of its own: the thread of the caller sends rows to Postgres
 * meanwhile, and serves requests if it is that of the service. The thread has ended when the generator has.
 * @throws ImportRefusal `damaged`; an error of the disk, with its code; the reason of the abort
 */
export async function* readInThread(
  { file: { name, path, checksum }, secret, suppressed }: ThreadInput,
  onProgress: (progress: SyncProgress) => void,
  signal?: AbortSignal,
): AsyncGenerator<TableLines, FileSummary, void> {
  signal?.throwIfAborted();
  const workerData: ThreadInput = { file: { name, path, checksum }, secret, suppressed };
  const thread = new Worker(THREAD, { workerData });
  try {
    for (let n = 0; n < WAITING_PARTS; n += 1) thread.postMessage('next');
    for await (const [message] of on(thread, 'message', { close: ['exit'], ...(signal && { signal }) })) {
      const { part, progress, summary, failed } = message as ThreadMessage;
      if (progress) onProgress(progress);
      if (failed) throw errorOf(failed);
      if (summary) return summary;
      if (!part) continue;
      yield new Map([...part].map(([table, lines]) => [table, lines.map(toBuffer)]));
      thread.postMessage('next');
    }
    throw new Error(`The thread that reads ${name} ended without a result.`);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    await thread.terminate();
  }
}

/** Returns the Buffer that a message contains as an array of bytes, with the same memory. */
const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

const errorOf = ({ reason, message, code }: FailedReading): Error =>
  reason === null ? Object.assign(new Error(message), code !== undefined && { code }) : new ImportRefusal(reason, message);
