import { readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { insertUsage, type UsageRecord, voidUsage } from '../store/usage-records.ts';
import { type JournalEntry, readEntries, type VoidedRecord } from './entries.ts';

/** Maximum number of records in one statement. */
const ROWS = 5_000;

/**
 * Writes the files of a folder to the database, oldest first, and deletes each one when its records are committed. A file that is read twice,
 * because a process was killed between commit and deletion, counts nothing twice: a record is known by its id. A file with damaged lines is
 * kept beside the folder's journal files under another name.
 * @param files names of the files, which nothing writes to any more @throws Error of the database or the file system
 */
export async function drainFiles(
  folder: string,
  files: readonly string[],
  { db, log }: { readonly db: Knex; readonly log: Logger },
): Promise<void> {
  for (const name of files) {
    const file = path.join(folder, name);
    const { entries, damaged } = readEntries(await readFile(file, 'utf8'));
    const voided = entries.flatMap((entry) => ('voided' in entry ? [entry.voided] : []));
    await store(db, entries, voided);
    if (damaged === 0) await rm(file);
    else {
      log.error({ component: 'usage', file: name, lines: damaged }, 'lines of a usage journal cannot be read; the file is kept');
      await rename(file, `${file}.damaged`);
    }
  }
}

async function store(db: Knex, entries: readonly JournalEntry[], voided: readonly VoidedRecord[]): Promise<void> {
  const isVoided = new Set(voided.map(keyOf));
  const records = entries.flatMap((entry): UsageRecord[] =>
    'record' in entry && !isVoided.has(keyOf(entry.record)) ? [entry.record] : [],
  );
  for (let i = 0; i < records.length; i += ROWS) await insertUsage(db, records.slice(i, i + ROWS));
  for (let i = 0; i < voided.length; i += ROWS) await voidUsage(db, voided.slice(i, i + ROWS));
}

const keyOf = ({ id, attempt }: VoidedRecord): string => `${id} ${attempt}`;
