import { createWriteStream } from 'node:fs';
import { open as openFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream';
import { pipeline as pipelineEnd } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, getFileNameLowLevel, openPromise, validateFileName, type ZipFile } from 'yauzl';
import { isIsoDate } from '../../domain/time.ts';
import { ListFileError } from './list-file.ts';

/** A file of an archive. */
export interface ArchiveEntry {
  /** Path as in the archive, for instance `data/SDN.CSV`. It does not lead out of a folder. Several entries may have one path. */
  readonly path: string;
  /** Last part of the path. */
  readonly name: string;
  /** Unpacked size in bytes, as the archive declares it. Reading an entry of another size fails. */
  readonly bytes: number;
}

/**
 * Reasons to refuse an archive. damaged: cut off, inconsistent, or a wrong size or checksum. bomb: it unpacks to many times its size.
 * unsafe_path: an entry leads out of a folder. unsupported: a compression method other than stored and deflated. too_large, too_many_files:
 * a limit is exceeded.
 */
export type ArchiveFault = 'damaged' | 'bomb' | 'encrypted' | 'unsafe_path' | 'unsupported' | 'too_large' | 'too_many_files';

/** An archive that is refused. */
export class ArchiveError extends ListFileError {
  readonly code: ArchiveFault;

  constructor(code: ArchiveFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const MAX_FILES = 10_000;
/** Year 0 of the dates of a zip. */
const FIRST_YEAR = 1980;
/**
 * Maximum expansion. An archive that unpacks to more than this many times its size, and to more than 64 MiB, is a bomb. Tables are packed
 * to about a tenth.
 */
const MAX_RATIO = 200;
const UNSUSPICIOUS_BYTES = 64 * 1024 ** 2;

/**
 * Opens a zip: reads its directory once and checks it. Returns null for a file that does not begin with the signature of a zip.
 * @param name name of the zip in messages
 * @throws ArchiveError for a zip that is damaged or a bomb, or that has more than `MAX_FILES` entries or an unsafe path
 */
export async function openArchive(file: string, name = 'the zip'): Promise<Archive | null> {
  return (await hasSignature(file)) ? new Archive(file, name, await readDirectory(file, name)) : null;
}

/**
 * A zip whose directory was read. The file on disk is open only while entries are read, so an archive need not be closed. Errors of the
 * disk, such as a full one, are thrown unchanged.
 */
export class Archive {
  /** Files in the order of the directory, without folders. */
  readonly entries: readonly ArchiveEntry[];
  private readonly file: string;
  private readonly name: string;
  private readonly headers: Directory;

  constructor(file: string, name: string, headers: Directory) {
    this.file = file;
    this.name = name;
    this.headers = headers;
    this.entries = [...headers.keys()];
  }

  /** Returns the CRC-32 of an entry that the directory declares. */
  checksumOf(entry: ArchiveEntry): number {
    return this.headers.get(entry)?.crc32 ?? 0;
  }

  /**
   * Returns the ISO date on which an entry was last written, by the clock of the machine that packed it; null if the zip has none. The first
   * day of 1980 is no date, because programs write it for a time that they do not know.
   */
  writtenOn(entry: ArchiveEntry): string | null {
    const day = this.headers.get(entry)?.lastModFileDate ?? 0;
    const [year, month, date] = [FIRST_YEAR + (day >> 9), (day >> 5) & 0xf, day & 0x1f];
    const written = `${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`;
    return isIsoDate(written) && written !== `${FIRST_YEAR}-01-01` ? written : null;
  }

  /** @throws ArchiveError `too_many_files` for more entries than `files`, `too_large` for more than `bytes` in all */
  requireWithin(entries: readonly ArchiveEntry[], { files, bytes }: { readonly files?: number; readonly bytes: number }): void {
    if (files !== undefined && entries.length > files) throw tooMany(this.name, files);
    if (totalBytes(entries) > bytes) throw new ArchiveError('too_large', `${this.name} unpacks to more than ${bytes} bytes`);
  }

  /**
   * Yields the unpacked bytes of entries, one entry after the other. The size and the checksum of an entry are checked at its end.
   * @throws ArchiveError `damaged`, `encrypted` or `unsupported`
   */
  async *read(...entries: readonly ArchiveEntry[]): AsyncGenerator<Buffer, void, void> {
    try {
      const zip = await openZip(this.file);
      try {
        for (const entry of entries) yield* readEntry(zip, this.headers.get(entry) as Entry, this.name);
      } finally {
        zip.close();
      }
    } catch (cause) {
      throw asFault(cause, this.name);
    }
  }

  /**
   * Writes an entry to the file `target`.
   * @throws ArchiveError as `read` does, and `too_large` for an entry of more than `maxBytes`
   */
  async unpack(entry: ArchiveEntry, target: string, maxBytes: number): Promise<void> {
    this.requireWithin([entry], { bytes: maxBytes });
    await pipelineEnd(this.read(entry), createWriteStream(target));
  }

  /**
   * Reads all entries and discards the bytes.
   * @throws ArchiveError as `read` does, and `too_large` for more than `maxBytes` in all; the reason of the abort
   */
  async verify(maxBytes: number, signal?: AbortSignal): Promise<void> {
    this.requireWithin(this.entries, { bytes: maxBytes });
    for await (const _ of this.read(...this.entries)) signal?.throwIfAborted();
  }
}

/** Entries and their headers in the zip. */
type Directory = ReadonlyMap<ArchiveEntry, Entry>;

const LOCAL_HEADER = 0x504b0304;
/** First bytes of a zip without entries. */
const END_OF_DIRECTORY = 0x504b0506;

async function hasSignature(file: string): Promise<boolean> {
  const handle = await openFile(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && [LOCAL_HEADER, END_OF_DIRECTORY].includes(buffer.readUInt32BE());
  } finally {
    await handle.close();
  }
}

/** Opens a zip and reads the end of its directory. Paths stay undecoded, so that an unsafe one gets an error of its own. */
const openZip = (file: string): Promise<ZipFile> => openPromise(file, { autoClose: false, decodeStrings: false });

async function readDirectory(file: string, name: string): Promise<Directory> {
  const headers = new Map<ArchiveEntry, Entry>();
  try {
    const zip = await openZip(file);
    try {
      if (zip.entryCount > MAX_FILES) throw tooMany(name, MAX_FILES);
      for await (const header of zip.eachEntry()) {
        const entry = entryOf(header, name);
        if (!entry.path.endsWith('/')) headers.set(entry, header);
      }
    } finally {
      zip.close();
    }
    if (totalBytes([...headers.keys()]) > Math.max(UNSUSPICIOUS_BYTES, (await stat(file)).size * MAX_RATIO))
      throw new ArchiveError('bomb', `${name} unpacks to more than ${MAX_RATIO} times its size`);
    return headers;
  } catch (cause) {
    throw asFault(cause, name);
  }
}

function entryOf({ generalPurposeBitFlag, fileNameRaw, extraFields, uncompressedSize }: Entry, name: string): ArchiveEntry {
  const full = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
  if (validateFileName(full) !== null) throw new ArchiveError('unsafe_path', `${name} holds a file that leads out of its folder`);
  return { path: full, name: path.posix.basename(full), bytes: uncompressedSize };
}

/** Bytes that are unpacked at a time. Parts of 16 KiB, the default of Node, take three times as long for a file of gigabytes. */
const PART_BYTES = 128 * 1024;

/** Yields the bytes of an entry, and checks their number and their checksum. */
async function* readEntry(zip: ZipFile, header: Entry, name: string): AsyncGenerator<Buffer, void, void> {
  if (header.isEncrypted()) throw new ArchiveError('encrypted', `a file of ${name} is encrypted`);
  if (!header.canDecodeFileData())
    throw new ArchiveError('unsupported', `a file of ${name} has the unsupported compression method ${header.compressionMethod}`);
  let [size, sum] = [0, 0];
  for await (const part of await unpacked(zip, header)) {
    size += part.length;
    if (size > header.uncompressedSize) break;
    sum = crc32(part, sum);
    yield part;
  }
  if (size !== header.uncompressedSize) throw new ArchiveError('damaged', `${name} is damaged: a file has another size than declared`);
  if (sum !== header.crc32) throw new ArchiveError('damaged', `${name} is damaged: a checksum does not match`);
}

async function unpacked(zip: ZipFile, header: Entry): Promise<AsyncIterable<Buffer>> {
  const stored = await zip.openReadStreamPromise(header, { decodeFileData: false });
  if (!header.isCompressed()) return stored;
  // An error of either stream ends the iteration with it, and the end of the iteration closes both.
  return pipeline(stored, createInflateRaw({ chunkSize: PART_BYTES }), () => undefined);
}

const totalBytes = (entries: readonly ArchiveEntry[]): number => entries.reduce((sum, { bytes }) => sum + bytes, 0);

const tooMany = (name: string, files: number) => new ArchiveError('too_many_files', `${name} holds more than ${files} files`);

/** Converts an error of the package to an `ArchiveError`. Errors of the disk stay as they are. */
const asFault = (cause: unknown, name: string): unknown =>
  cause instanceof ArchiveError || (cause instanceof Error && 'syscall' in cause)
    ? cause
    : new ArchiveError('damaged', `${name} is cut or damaged`, { cause });
