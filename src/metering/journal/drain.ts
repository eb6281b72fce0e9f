import { readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { insertUsage, voidUsage } from '../store/usage-records.ts';
import { type Cut, readEntries } from './entries.ts';
import { type FileRows, rowsOf } from './rows.ts';

/** Maximum number of rows in one statement. */
const ROWS = 5_000;

export interface DrainDeps {
  readonly db: Knex;
  readonly log: Logger;
  /** Ends of files of this process whose last write failed. */
  readonly cuts?: readonly Cut[];
}

/**
 * Writes the files of a folder to the database, oldest first, and deletes each one when its rows are committed. A file that is read twice,
 * because a process was killed between commit and deletion, counts nothing twice: its rows are known by their ids. A file with damaged lines
 * is kept beside the folder's journal files under another name.
 * @param files names of the files, which nothing writes to any more @throws Error of the database or the file system
 */
export async function drainFiles(folder: string, files: readonly string[], { db, log, cuts = [] }: DrainDeps): Promise<void> {
  const ends = new Map([...cuts, ...(await writtenCuts(folder, files))].map(({ file, bytes }) => [file, bytes]));
  for (const name of files) {
    const file = path.join(folder, name);
    const { entries, damaged } = readEntries((await readFile(file)).subarray(0, ends.get(name)).toString());
    await store(db, rowsOf(name, entries));
    if (damaged === 0) await rm(file);
    else {
      log.error({ component: 'usage', file: name, lines: damaged }, 'lines of a usage journal cannot be read; the file is kept');
      await rename(file, `${file}.damaged`);
    }
  }
}

/** Returns the ends of files that later files of the same process contain. */
async function writtenCuts(folder: string, files: readonly string[]): Promise<readonly Cut[]> {
  const cuts: Cut[] = [];
  for (const name of files.length > 1 ? files : []) {
    const text = await readFile(path.join(folder, name), 'utf8');
    if (text.includes('["cut",')) cuts.push(...readEntries(text).entries.flatMap((entry) => ('cut' in entry ? [entry.cut] : [])));
  }
  return cuts;
}

async function store(db: Knex, { rows, voided }: FileRows): Promise<void> {
  for (let i = 0; i < rows.length; i += ROWS) await insertUsage(db, rows.slice(i, i + ROWS));
  for (let i = 0; i < voided.length; i += ROWS) await voidUsage(db, voided.slice(i, i + ROWS));
}
