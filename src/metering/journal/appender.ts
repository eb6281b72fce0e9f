import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Cut } from './entries.ts';
import { JOURNAL } from './folder.ts';

/** Failure of an append that may have written a part, or all, of its bytes. The file has ended, and `cut` is its valid end. */
export class UnclearAppend extends Error {
  override readonly name = 'UnclearAppend';
  readonly cut: Cut;

  constructor(cause: Error, cut: Cut) {
    super(cause.message, { cause });
    this.cut = cut;
  }
}

interface OpenFile {
  readonly name: string;
  readonly handle: FileHandle;
  /** Size of what was appended completely. */
  bytes: number;
}

/** Each write is on the disk when it returns. Where the platform has no such flag, `datasync` follows the write. */
const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = constants;
const O_DSYNC: number | undefined = constants.O_DSYNC;

/**
 * Appends to the current journal file of a process, one write after another. A file begins with the first write after `rotate`. What a failed
 * write has written is cut off; if that fails too, the file ends, so that nothing is appended to a line that is cut.
 */
export class Appender {
  readonly #folder: string;
  #files = 0;
  #current: OpenFile | null = null;
  /** Last of the operations, which run one after another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Resolves when the bytes are on the disk. @throws UnclearAppend; Error of the file system when nothing was written */
  append(bytes: Buffer): Promise<void> {
    return this.#next(async () => {
      this.#current ??= await this.#open();
      const file = this.#current;
      try {
        for (let written = 0; written < bytes.length; ) written += (await file.handle.write(bytes, written)).bytesWritten;
        if (O_DSYNC === undefined) await file.handle.datasync();
        file.bytes += bytes.length;
      } catch (error) {
        await file.handle.truncate(file.bytes).catch(async () => {
          await this.#close();
          throw new UnclearAppend(error as Error, { file: file.name, bytes: file.bytes });
        });
        throw error;
      }
    });
  }

  /** Ends the current file, if there is one. Returns the names of all files of the folder that have ended, oldest first for each process. */
  rotate(): Promise<readonly string[]> {
    return this.#next(async () => {
      await this.#close();
      return (await readdir(this.#folder)).filter((name) => name.endsWith(JOURNAL)).sort();
    });
  }

  #next<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#last.then(operation);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #open(): Promise<OpenFile> {
    this.#files += 1;
    const name = `${path.basename(this.#folder)}-${String(this.#files).padStart(10, '0')}${JOURNAL}`;
    const handle = await open(path.join(this.#folder, name), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | (O_DSYNC ?? 0), 0o600);
    await syncFolder(this.#folder);
    return { name, handle, bytes: 0 };
  }

  async #close(): Promise<void> {
    const file = this.#current;
    this.#current = null;
    await file?.handle.close().catch(() => undefined);
  }
}

/** Makes the name of a new file durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
