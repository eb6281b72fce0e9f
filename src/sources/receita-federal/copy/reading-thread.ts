import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SyncProgress } from '../../source.ts';
import { ImportRefusal } from './refusal.ts';
import type { FileSummary, TableLines } from './store/import-store.ts';
import type { FailedReading, FileInThread, FilterOfLines, MessageOfThread, MessageToThread } from './thread-messages.ts';

/** A thread that reads files with data of companies, one after the other. */
export interface ReadingThread {
  /** Starts the thread before its first file, so that its code is loaded by then. */
  start(): void;
  /**
   * Reads a file as `readDataFile` does. After an error, and if the generator is closed before its end, the thread has ended.
   * @throws ImportRefusal `damaged`; an error of the disk, with its code; the reason of the abort
   */
  read(file: FileInThread, onProgress: (progress: SyncProgress) => void): AsyncGenerator<TableLines, FileSummary, void>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** Maximum number of parts, of some 2 MB, that wait to be stored. */
const WAITING_PARTS = 2;
const FILE = new URL(`./read-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

/**
 * Creates the thread of an import: the thread of the caller sends rows to Postgres meanwhile, and serves requests if it is that of the
 * service. One thread reads all files, because a new one takes a second of CPU time until its code is compiled.
 */
export function createReadingThread(filter: FilterOfLines, signal?: AbortSignal): ReadingThread {
  let running: Worker | null = null;

  function started(): Worker {
    if (running) return running;
    const thread = new Worker(FILE, { workerData: filter });
    const ended = () => {
      if (running === thread) running = null;
    };
    thread.on('exit', ended).on('error', ended); // an error is thrown by the call of `read` that waits
    running = thread;
    return thread;
  }

  async function close(): Promise<void> {
    const thread = running;
    running = null;
    await thread?.terminate();
  }

  async function* read(file: FileInThread, onProgress: (progress: SyncProgress) => void): AsyncGenerator<TableLines, FileSummary, void> {
    signal?.throwIfAborted();
    const thread = started();
    const send = (message: MessageToThread): void => thread.postMessage(message);
    let isComplete = false;
    try {
      send({ file: { name: file.name, path: file.path, checksum: file.checksum } });
      for (let n = 0; n < WAITING_PARTS; n += 1) send({});
      for await (const [message] of on(thread, 'message', { close: ['exit'], ...(signal && { signal }) })) {
        const { part, progress, summary, failed } = message as MessageOfThread;
        if (progress) onProgress(progress);
        if (failed) throw errorOf(failed);
        isComplete = summary !== undefined;
        if (summary) return summary;
        if (!part) continue;
        yield new Map([...part].map(([table, lines]) => [table, lines.map(toBuffer)]));
        send({});
      }
      throw new Error(`The thread that reads ${file.name} ended without a result.`);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      if (!isComplete) await close();
    }
  }

  return { start: () => void started(), read, close };
}

/** Returns the Buffer that a message contains as an array of bytes, with the same memory. */
const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

const errorOf = ({ reason, message, code }: FailedReading): Error =>
  reason === null ? Object.assign(new Error(message), code !== undefined && { code }) : new ImportRefusal(reason, message);
