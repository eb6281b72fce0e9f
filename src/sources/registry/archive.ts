import { createWriteStream } from 'node:fs';
import { open as openFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { ListFileError } from './list-file.ts';

/** A file of a zip. */
export interface ZipMember {
  /** Name with folders, as in the zip. */
  readonly fullName: string;
  readonly name: string;
  /** Position among the files of the zip. Several files may have one name. */
  readonly index: number;
  /** Unpacked size in bytes, as the zip declares it; unpacking fails beyond it. */
  readonly bytes: number;
}

const MAX_MEMBERS = 10_000;
/**
 * Maximum expansion. A zip that unpacks to more than this many times its size, and to more than 64 MiB, is a bomb. Tables are packed to
 * about a tenth.
 */
const MAX_RATIO = 200;
const UNSUSPICIOUS_BYTES = 64 * 1024 ** 2;

/** True when the file begins with the signature of a zip or of an empty zip. */
export async function isZip(file: string): Promise<boolean> {
  const handle = await openFile(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && (buffer.readUInt32BE() === 0x504b0304 || buffer.readUInt32BE() === 0x504b0506);
  } finally {
    await handle.close();
  }
}

/**
 * Lists the files of a zip, in its order.
 * @throws ListFileError for a zip that is cut, damaged, a bomb or has more than `MAX_MEMBERS` entries
 */
export async function listZip(file: string): Promise<readonly ZipMember[]> {
  const members: ZipMember[] = [];
  const maxBytes = Math.max(UNSUSPICIOUS_BYTES, (await stat(file)).size * MAX_RATIO);
  let bytes = 0;
  await eachMember(file, async (_zip, entry, index) => {
    bytes += entry.uncompressedSize;
    if (bytes > maxBytes) throw new ListFileError(`the zip unpacks to more than ${MAX_RATIO} times its size`);
    members.push({ fullName: entry.fileName, name: path.posix.basename(entry.fileName), index, bytes: entry.uncompressedSize });
  });
  return members;
}

/**
 * Unpacks one member into `target`.
 * @throws ListFileError for a member over `maxBytes`, damaged (by its checksum) or encrypted
 */
export async function unpackMember(file: string, member: ZipMember, target: string, maxBytes: number): Promise<void> {
  if (member.bytes > maxBytes) throw new ListFileError(`the zip holds a file of more than ${maxBytes} bytes`);
  await eachMember(file, async (zip, entry, index) => {
    if (index === member.index) await unpack(zip, entry, createWriteStream(target));
  });
}

/**
 * Checks a zip by unpacking every file and discarding the bytes. All checksums must match, and the total must be at most `maxBytes`.
 * @throws ListFileError when the zip is cut, damaged or larger
 */
export async function verifyZip(file: string, maxBytes: number): Promise<void> {
  const claimed = (await listZip(file)).reduce((sum, { bytes }) => sum + bytes, 0);
  if (claimed > maxBytes) throw new ListFileError(`the zip holds more than ${maxBytes} bytes`);
  await eachMember(file, (zip, entry) => unpack(zip, entry, new Writable({ write: (_chunk, _encoding, done) => done() })));
}

async function eachMember(file: string, onMember: (zip: ZipFile, entry: Entry, index: number) => Promise<void>): Promise<void> {
  try {
    const zip = await openPromise(file, { lazyEntries: true, autoClose: false, strictFileNames: false });
    try {
      if (zip.entryCount > MAX_MEMBERS) throw new ListFileError(`the zip holds more than ${MAX_MEMBERS} files`);
      let index = 0;
      for await (const entry of zip.eachEntry()) {
        if (!entry.fileName.endsWith('/')) await onMember(zip, entry, index++);
      }
    } finally {
      zip.close();
    }
  } catch (cause) {
    // errors of the disk, e.g. a full one, are rethrown
    if (cause instanceof ListFileError || (cause instanceof Error && 'syscall' in cause)) throw cause;
    throw new ListFileError('the zip is cut or damaged', { cause });
  }
}

/** Unpacks a member and checks its checksum. The package checks only its declared size. */
async function unpack(zip: ZipFile, entry: Entry, target: Writable): Promise<void> {
  if (entry.isEncrypted()) throw new ListFileError('a file of the zip is encrypted');
  let sum = 0;
  const summed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
  };
  await pipeline(await zip.openReadStreamPromise(entry), summed, target);
  if (sum !== entry.crc32) throw new ListFileError('the zip is damaged: a checksum does not match');
}
