import { statfs } from 'node:fs/promises';
import { ImportRefusal } from './refusal.ts';

/**
 * Bytes on the disk per unpacked byte of a month. A version with its indexes takes 2.1 to 2.3, two fifths of it for the hashes of contacts; the
 * write-ahead log and sorts need temporary space.
 */
export const VERSION_SHARE = 2.4;

/**
 * Checks the free space of a disk.
 * @param folder folder on the disk
 * @param bytes bytes that will be written
 * @param what subject of the sentence for operators, e.g. `The downloads`
 * @throws ImportRefusal `no_space`
 */
export async function requireSpace(folder: string, bytes: number, what: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes) throw new ImportRefusal('no_space', `${what} needs ${gigabytes(bytes)} GB; ${gigabytes(free)} GB are free.`);
}

const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);
