import { existsSync } from 'node:fs';
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { type EndOptions, ZipFile } from 'yazl';
import { type Archive, type ArchiveEntry, ArchiveError, openArchive } from '../../src/sources/registry/archive.ts';
import { type Bytes, tempFolder, zipOf } from '../support/files.ts';
import { needs } from '../support/needs.ts';

const CENTRAL_HEADER = Buffer.from([0x50, 0x4b, 0x01, 0x02]);
const ROWS = Array.from({ length: 2_000 }, (_, i) => `${i};x\n`).join('');

async function onDisk(bytes: Bytes): Promise<string> {
  const file = path.join(await tempFolder(), 'a.zip');
  await writeFile(file, bytes);
  return file;
}

async function opened(bytes: Bytes): Promise<Archive> {
  const archive = await openArchive(await onDisk(bytes));
  if (!archive) throw new Error('the file is no zip');
  return archive;
}

const textOf = async (archive: Archive, ...entries: readonly ArchiveEntry[]): Promise<string> =>
  (await buffer(archive.read(...entries))).toString();

/** Returns the code with which opening, or else reading all entries, is refused. */
async function faultOf(bytes: Bytes): Promise<string> {
  const error = await opened(bytes)
    .then((archive) => archive.verify(1024 ** 3))
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ArchiveError);
  return (error as ArchiveError).code;
}

/** Writes a zip by `add`. */
async function written(add: (zip: ZipFile) => void, end: Partial<EndOptions> = {}): Promise<Buffer> {
  const zip = new ZipFile();
  add(zip);
  zip.end({ forceZip64Format: false, comment: '', ...end });
  return buffer(zip.outputStream);
}

/** Changes the header of the only entry in the directory. */
async function withHeader(change: (header: Buffer) => void, content: Bytes = ROWS): Promise<Buffer> {
  const zip = await zipOf({ 'xx/a.csv': content });
  change(zip.subarray(zip.lastIndexOf(CENTRAL_HEADER)));
  return zip;
}

/** Writes another path of eight characters into both headers of the only entry. */
async function withPath(eight: string): Promise<Buffer> {
  const zip = await zipOf({ 'xx/a.csv': ROWS });
  for (let at = zip.indexOf('xx/a.csv'); at >= 0; at = zip.indexOf('xx/a.csv', at)) zip.write(eight, at, 'latin1');
  return zip;
}

describe('an archive', () => {
  it('lists its files with their sizes, and no folders', async () => {
    const zip = await written((all) => {
      all.addEmptyDirectory('data');
      all.addBuffer(Buffer.from(ROWS), 'data/ÑANDÚ.csv');
      all.addBuffer(Buffer.alloc(0), 'empty.txt');
    });
    expect((await opened(zip)).entries).toEqual([
      { path: 'data/ÑANDÚ.csv', name: 'ÑANDÚ.csv', bytes: ROWS.length },
      { path: 'empty.txt', name: 'empty.txt', bytes: 0 },
    ]);
  });

  it.each<[string, () => Promise<Buffer>]>([
    ['is deflated', () => zipOf({ 'a.csv': ROWS })],
    ['is stored', () => written((zip) => zip.addBuffer(Buffer.from(ROWS), 'a.csv', { compress: false }))],
    ['has its size and checksum behind it', () => written((zip) => zip.addReadStream(Readable.from([ROWS]), 'a.csv'))],
    [
      'is in the format for large files',
      () => written((zip) => zip.addBuffer(Buffer.from(ROWS), 'a.csv', { forceZip64Format: true }), { forceZip64Format: true }),
    ],
    ['stands before a comment', () => written((zip) => zip.addBuffer(Buffer.from(ROWS), 'a.csv'), { comment: 'Publicado em 30/09/2026' })],
  ])('yields the bytes of a file that %s', async (_name, make) => {
    const archive = await opened(await make());
    expect(archive.entries).toMatchObject([{ path: 'a.csv', bytes: ROWS.length }]);
    expect(await textOf(archive, ...archive.entries)).toBe(ROWS);
  });

  it('yields each of two files with the same path, in any order and more than once', async () => {
    const archive = await opened(
      await written((zip) => {
        zip.addBuffer(Buffer.from('first'), 'a.csv');
        zip.addBuffer(Buffer.from('second'), 'a.csv');
      }),
    );
    const backwards = [...archive.entries.toReversed(), ...archive.entries];
    expect(await Promise.all(backwards.map((entry) => textOf(archive, entry)))).toEqual(['second', 'first', 'first', 'second']);
    expect(await textOf(archive, ...archive.entries)).toBe('firstsecond');
  });

  it('unpacks a file to disk', async () => {
    const archive = await opened(await zipOf({ 'a.csv': ROWS }));
    const target = path.join(await tempFolder(), 'a.csv');
    await archive.unpack(archive.entries[0] as ArchiveEntry, target, ROWS.length);
    expect(await readFile(target, 'utf8')).toBe(ROWS);
  });

  it.each<[string, Bytes]>([
    ['a text', ROWS],
    ['an empty file', ''],
    ['the first bytes of a zip', Buffer.from('PK')],
  ])('is not %s', async (_name, bytes) => {
    expect(await openArchive(await onDisk(bytes))).toBeNull();
  });

  it(
    'leaves no file open, whether it was read, read in part, or refused',
    needs(existsSync('/proc/self/fd'), 'this system has no /proc/self/fd'),
    async () => {
      const file = await onDisk(await zipOf({ 'a.csv': ROWS.repeat(100), 'b.csv': ROWS }));
      const archive = (await openArchive(file)) as Archive;
      await archive.verify(1024 ** 3);
      for await (const chunk of archive.read(...archive.entries)) {
        expect(chunk.length).toBeGreaterThan(0);
        break;
      }
      await writeFile(file, (await readFile(file)).fill(0x55, 100, 200));
      await expect(archive.verify(1024 ** 3)).rejects.toMatchObject({ code: 'damaged' });
      const isOpen = async () => {
        const open = await readdir('/proc/self/fd');
        const targets = await Promise.all(open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
        return targets.includes(file);
      };
      await expect.poll(isOpen).toBe(false);
    },
  );
});

describe('an archive is refused as', () => {
  it.each<[string, string, () => Promise<Bytes>]>([
    ['damaged', 'its directory is cut off', async () => (await zipOf({ 'a.csv': ROWS })).subarray(0, 60)],
    ['damaged', 'its last bytes are missing', async () => (await zipOf({ 'a.csv': ROWS })).subarray(0, -4)],
    ['damaged', 'bytes follow it', async () => Buffer.concat([await zipOf({ 'a.csv': ROWS }), Buffer.from('more')])],
    ['damaged', 'a byte of a file differs', async () => withByte(await zipOf({ 'a.csv': ROWS }), 200)],
    [
      'damaged',
      'a byte of a stored file differs',
      async () => withByte(await written((zip) => zip.addBuffer(Buffer.from(ROWS), 'a.csv', { compress: false })), 200),
    ],
    ['damaged', 'a file holds more bytes than declared', () => withHeader((header) => header.writeUInt32LE(10, 24))],
    ['damaged', 'a file holds fewer bytes than declared', () => withHeader((header) => header.writeUInt32LE(ROWS.length + 1, 24))],
    ['damaged', 'a file begins outside of it', () => withHeader((header) => header.writeUInt32LE(2 ** 31, 42))],
    ['damaged', 'it declares more files than it lists', async () => withCount(await zipOf({ 'a.csv': ROWS }), 2)],
    ['bomb', 'a file declares an enormous size', () => withHeader((header) => header.writeUInt32LE(2 ** 31, 24))],
    ['bomb', 'it holds a large file of one character', () => zipOf({ 'a.csv': Buffer.alloc(65 * 1024 ** 2, 0x31) })],
    ['bomb', 'its files share the same packed bytes', () => sharing(1_000, 100_000)],
    ['encrypted', 'a file is encrypted', () => withHeader((header) => header.writeUInt8(header.readUInt8(8) | 1, 8))],
    ['unsupported', 'a file is packed by another method', () => withHeader((header) => header.writeUInt16LE(9, 10))],
    ['unsafe_path', 'a path leads to the folder above', () => withPath('../a.csv')],
    ['unsafe_path', 'a path leads to the folder above by backslashes', () => withPath('..\\a.csv')],
    ['unsafe_path', 'a path begins at the root', () => withPath('/aa/.csv')],
    ['unsafe_path', 'a path names a drive', () => withPath('C:/a.csv')],
    ['too_many_files', 'it lists more files than allowed', () => sharing(10_001, 1)],
    ['too_many_files', 'it declares more files than allowed', async () => withCount(await zipOf({ 'a.csv': ROWS }), 0xfffe)],
  ])('%s if %s', async (code, _name, make) => {
    expect(await faultOf(await make())).toBe(code);
  });

  it('too_large if a file, all files, or some exceed the limit of the caller', async () => {
    const archive = await opened(await zipOf({ 'a.csv': '12345', 'b.csv': '12345' }));
    const [first] = archive.entries;
    const target = path.join(await tempFolder(), 'a.csv');
    await expect(archive.unpack(first as ArchiveEntry, target, 4)).rejects.toMatchObject({ code: 'too_large' });
    await expect(archive.verify(9)).rejects.toMatchObject({ code: 'too_large' });
    expect(() => archive.requireWithin(archive.entries, { files: 1, bytes: 10 })).toThrow('the zip holds more than 1 files');
    expect(existsSync(target)).toBe(false);
    await archive.verify(10);
  });

  it('damaged at every length at which it can be cut', async () => {
    const zip = await zipOf({ 'a.csv': '1;2\n', 'b.csv': '3;4\n' });
    for (let length = 4; length < zip.length; length += 1)
      expect([length, await faultOf(zip.subarray(0, length))]).toEqual([length, 'damaged']);
  });

  it('nothing if the disk fails, whose error is thrown unchanged', async () => {
    const archive = await opened(await zipOf({ 'a.csv': ROWS }));
    const target = path.join(await tempFolder(), 'missing', 'a.csv');
    const error = await archive.unpack(archive.entries[0] as ArchiveEntry, target, 1024 ** 2).catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(ArchiveError);
    expect(error).toMatchObject({ code: 'ENOENT' });
  });
});

function withByte(zip: Buffer, at: number): Buffer {
  zip.writeUInt8(zip.readUInt8(at) ^ 0x10, at);
  return zip;
}

/** Declares another number of files at the end of the directory. */
function withCount(zip: Buffer, files: number): Buffer {
  zip.writeUInt16LE(files, zip.length - 14);
  zip.writeUInt16LE(files, zip.length - 12);
  return zip;
}

/** A zip whose directory lists one packed file `times` times, each of `bytes` bytes. */
async function sharing(times: number, bytes: number): Promise<Buffer> {
  const zip = await zipOf({ 'a.csv': Buffer.alloc(bytes, 0x31) });
  const start = zip.lastIndexOf(CENTRAL_HEADER);
  const header = zip.subarray(start, zip.length - 22);
  const end = Buffer.from(zip.subarray(-22));
  end.writeUInt16LE(times, 8);
  end.writeUInt16LE(times, 10);
  end.writeUInt32LE(header.length * times, 12);
  return Buffer.concat([zip.subarray(0, start), ...Array.from({ length: times }, () => header), end]);
}
