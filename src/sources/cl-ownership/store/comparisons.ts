import type pg from 'pg';
import type { Logger } from 'pino';
import { isoDate } from '../../../domain/time.ts';
import { beside } from '../../copies/after-load.ts';
import { type ComparedVersion, createComparisons } from '../../copies/store/comparisons.ts';
import { withShortLocks } from '../../copies/store/short-locks.ts';
import type { NewVersion } from '../../registry/version-store.ts';
import { DIFFERENCES } from './differences.ts';

/** Name and origin of the copy. */
export type CopyName = readonly [name: string, origin: string];

/** SQL: the date of a version `v`: that of its file, or of its load if the publisher states none. */
const DATE = `coalesce(v.published_on, (v.loaded_at AT TIME ZONE 'UTC')::date)`;

/** Compares within the transaction of a load, so that a version and its differences from the one before are there together, or not at all. */
const inLoad = createComparisons({
  registry: 'cl_ownership',
  differences: DIFFERENCES,
  isFilledFirst: true,
  alter: (_client, work) => work(),
});

/**
 * Writes the differences between the version that answers and a new one, whose rows are staged. The first version, one of another schema
 * version, and a file that is older than the current one begin a new history.
 */
export async function compareWithPrevious(client: pg.ClientBase, copy: CopyName, version: NewVersion): Promise<void> {
  const previous = await answering(client, copy, version);
  const next = toCompared(version);
  if (previous && previous.extractedOn <= next.extractedOn) await inLoad.compare(client, copy[1], previous, next);
}

/**
 * Writes the differences between an earlier file, whose rows are staged, and the version that answers, which was compared with none before.
 * @throws Error for a file that is not earlier, which the guard of the load refuses first
 */
export async function compareWithNext(client: pg.ClientBase, copy: CopyName, version: NewVersion): Promise<void> {
  const next = await answering(client, copy, version);
  const earlier = toCompared(version);
  if (!next || earlier.extractedOn >= next.extractedOn) throw new Error('the file is not earlier than the one that answers');
  await inLoad.compare(client, copy[1], earlier, next);
}

/** Returns the version that answers, if its rows are stored as those of `version` are. */
async function answering(client: pg.ClientBase, copy: CopyName, { schemaVersion }: NewVersion): Promise<ComparedVersion | undefined> {
  const { rows } = await client.query(
    `SELECT v.id::text AS id, ${DATE}::text AS "extractedOn", v.rows_unmatched > 0 AS "hasUnattributed"
     FROM registries r JOIN registry_versions v ON v.id = r.version_id WHERE r.name = $1 AND r.origin = $2 AND v.shape = $3`,
    [...copy, schemaVersion],
  );
  return rows[0];
}

const toCompared = ({ id, publishedOn, loadedAt, rowsUnmatched = 0 }: NewVersion): ComparedVersion => ({
  id,
  extractedOn: publishedOn ?? isoDate(loadedAt),
  hasUnattributed: rowsUnmatched > 0,
});

/** Number of attempts to delete a comparison, which take five seconds. The next load tries again. */
const MAX_TRIES = 10;

/** A statement, for instance of a backup, still reads the recorded changes. */
class StillRead extends Error {}

async function alterAfterLoad<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  const done = await withShortLocks(client, work, MAX_TRIES);
  if (!done) throw new StillRead();
  return done.value;
}

const afterLoad = createComparisons({ registry: 'cl_ownership', differences: DIFFERENCES, alter: alterAfterLoad });

/**
 * Deletes the comparisons of versions that were rolled back, after a load. The others are kept, because there is one a year. It never
 * throws.
 */
export async function pruneComparisons(client: pg.ClientBase, [list, origin]: CopyName, log: Pick<Logger, 'error'>): Promise<void> {
  const isExpected = (error: Error): boolean => error instanceof StillRead;
  const failed = 'old comparisons could not be deleted; the next load tries again';
  await beside(() => deleteRolledBack(client, [list, origin]), { log, copy: { list, origin }, failed, isExpected });
}

async function deleteRolledBack(client: pg.ClientBase, [name, origin]: CopyName): Promise<void> {
  const { rows } = await client.query('SELECT version_id::text AS id FROM registries WHERE name = $1 AND origin = $2', [name, origin]);
  const kept = rows.flatMap(({ id }: { readonly id: string | null }) => (id === null ? [] : [id]));
  if (kept.length === 0) return;
  await afterLoad.prune(client, origin, { kept, months: null });
}
