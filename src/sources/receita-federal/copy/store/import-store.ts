import type pg from 'pg';
import { inClientTransaction } from '../../../../db/client-transaction.ts';
import { copyLines } from '../../../../db/copy-rows.ts';
import { MAX_TRIES, withShortLocks } from '../../../copies/store/short-locks.ts';
import { ImportRefusal } from '../refusal.ts';
import type { TableName } from '../rows.ts';
import { copyTarget, createTables, dropTables } from './tables.ts';

/** A file of a version, and the result of its load. */
export interface LoadedFile {
  readonly name: string;
  /** CRC-32 and size of the unpacked file. */
  readonly checksum: string;
  readonly rows: number;
  /** Lines that could not be read. */
  readonly unread: number;
  /** Those of them whose company is unknown. */
  readonly unattributed: number;
  readonly notes: Readonly<Record<string, number>>;
}

/** Rows by table, of one part of a file, encoded for COPY. */
export type TableLines = ReadonlyMap<TableName, readonly Buffer[]>;

/** Result of a reader of a file: its counts, the companies of which a row could not be read, and those that an operator has erased. */
export type FileSummary = Omit<LoadedFile, 'name' | 'checksum'> & {
  readonly unreadRoots: ReadonlySet<string>;
  readonly suppressedRoots: ReadonlySet<string>;
};

/** A code and its name. */
export interface LookupRow {
  readonly kind: string;
  readonly code: number;
  readonly name: string;
  /** Source of a name that the registry's own table lacks; null for its own. */
  readonly source: string | null;
}

/** Returns true if this session has the lock of the imports of an origin. */
export async function lockImport(client: pg.ClientBase, origin: string): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS won', [`receita copy ${origin}`]);
  return rows[0].won;
}

/** Returns the files of the version of an extract that were loaded; null if there is no such version. */
export async function findVersion(
  client: pg.ClientBase,
  origin: string,
  extractedOn: string,
): Promise<{ readonly id: string; readonly isLoaded: boolean; readonly files: ReadonlyMap<string, string> } | null> {
  const { rows } = await client.query(
    `SELECT v.id::text AS id, v.loaded_at IS NOT NULL AS "isLoaded", f.name, f.checksum
     FROM receita_versions v LEFT JOIN receita_files f ON f.version_id = v.id
     WHERE v.id = (SELECT max(id) FROM receita_versions WHERE origin = $1 AND extracted_on = $2)`,
    [origin, extractedOn],
  );
  if (rows.length === 0) return null;
  const files = rows.filter(({ name }) => name !== null).map(({ name, checksum }) => [name, checksum] as const);
  return { id: rows[0].id, isLoaded: rows[0].isLoaded, files: new Map(files) };
}

/** Creates a version and its tables, in one transaction. */
export const startVersion = (client: pg.ClientBase, origin: string, extractedOn: string, now: number): Promise<string> =>
  inClientTransaction(client, async () => {
    const { rows } = await client.query(
      'INSERT INTO receita_versions (origin, extracted_on, started_at) VALUES ($1, $2, $3) RETURNING id::text AS id',
      [origin, extractedOn, new Date(now)],
    );
    await createTables(client, rows[0].id);
    return rows[0].id;
  });

/**
 * Deletes every version of an origin except `kept` and the one that answers. The previous one is deleted, too, because a disk should have
 * room for two versions and not for three. A version that a statement still reads stays until the statement ends.
 * @throws ImportRefusal `busy` if a statement reads one for ten minutes; the error of a deletion
 */
export async function deleteOthers(client: pg.ClientBase, origin: string, kept: string | null): Promise<void> {
  await client.query('UPDATE receita_current SET previous_id = NULL WHERE origin = $1 AND previous_id IS DISTINCT FROM $2', [origin, kept]);
  await deleteVersions(client, await unused(client, origin, 'id IS DISTINCT FROM $2', [kept]), MAX_TRIES);
}

/** Number of attempts to delete a version that an earlier deletion has left, which take five seconds. */
const FEW_TRIES = 10;

/**
 * Deletes the loaded versions of an origin that neither answer nor are kept for a rollback: those whose deletion failed before.
 * @throws ImportRefusal `busy` if a statement reads one; the error of a deletion
 */
export async function deleteLeftVersions(client: pg.ClientBase, origin: string): Promise<void> {
  await deleteVersions(client, await unused(client, origin, 'loaded_at IS NOT NULL', []), FEW_TRIES);
}

/** Returns the ids of the versions that neither answer nor are kept for a rollback. @param condition SQL condition with more parameters */
async function unused(
  client: pg.ClientBase,
  origin: string,
  condition: string,
  parameters: readonly unknown[],
): Promise<readonly string[]> {
  const { rows } = await client.query(
    `SELECT id::text AS id FROM receita_versions v WHERE origin = $1 AND ${condition}
       AND NOT EXISTS (SELECT FROM receita_current c WHERE v.id IN (c.version_id, c.previous_id)) ORDER BY v.id`,
    [origin, ...parameters],
  );
  return rows.map(({ id }) => id);
}

/** Deletes all versions that can be deleted. @throws the error of the first one that cannot */
async function deleteVersions(client: pg.ClientBase, ids: readonly string[], maxTries: number): Promise<void> {
  const failures: unknown[] = [];
  for (const id of ids) {
    const done = await withShortLocks(client, () => deleteVersion(client, id), maxTries).catch((error: unknown) => {
      failures.push(error);
      return { value: undefined };
    });
    if (!done) failures.push(new ImportRefusal('busy', 'A statement, for instance of a backup, still reads an old version.'));
  }
  if (failures.length > 0) throw failures[0];
}

async function deleteVersion(client: pg.ClientBase, id: string): Promise<void> {
  await dropTables(client, id); // before the rows below, so that a statement never reads the tables without their rows
  await client.query('DELETE FROM receita_versions WHERE id = $1', [id]);
}

/**
 * Loads the rows of one file and its row of book-keeping in one transaction. While Postgres stores a part of the file, the next one is read.
 * The reader is closed at the end, whatever happens.
 */
export const loadFile = (
  client: pg.Client,
  version: string,
  { name, checksum }: Pick<LoadedFile, 'name' | 'checksum'>,
  reader: AsyncGenerator<TableLines, FileSummary, void>,
): Promise<FileSummary> =>
  inClientTransaction(client, async () => {
    const summary = await copyParts(client, version, reader);
    const { rows, unread, unattributed, notes, unreadRoots, suppressedRoots } = summary;
    await client.query(`INSERT INTO receita_unread (version_id, root) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`, [
      version,
      [...unreadRoots],
    ]);
    await client.query(
      `INSERT INTO receita_unread (version_id, root, suppressed) SELECT $1, unnest($2::text[]), true
       ON CONFLICT (version_id, root) DO UPDATE SET suppressed = true`,
      [version, [...suppressedRoots]],
    );
    await client.query(
      'INSERT INTO receita_files (version_id, name, checksum, rows, unread, unattributed, notes) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [version, name, checksum, rows, unread, unattributed, JSON.stringify(notes)],
    );
    return summary;
  });

async function copyParts(client: pg.Client, version: string, reader: AsyncGenerator<TableLines, FileSummary, void>): Promise<FileSummary> {
  try {
    let step = await reader.next();
    while (!step.done) {
      const next = reader.next();
      next.catch(() => undefined); // it is thrown below, unless the COPY fails first
      for (const [table, lines] of step.value) if (lines.length > 0) await copyLines(client, copyTarget(table, version), lines);
      step = await next;
    }
    return step.value;
  } finally {
    await reader.return(undefined as never);
  }
}

/** Stores the names of codes with the row of book-keeping of their file. */
export const loadLookups = (
  client: pg.ClientBase,
  version: string,
  { name, checksum }: Pick<LoadedFile, 'name' | 'checksum'>,
  lookups: readonly LookupRow[],
): Promise<void> =>
  inClientTransaction(client, async () => {
    await client.query(
      `INSERT INTO receita_lookups (version_id, kind, code, name, source)
       SELECT $1, kind, code, name, source FROM jsonb_to_recordset($2) AS t(kind text, code integer, name text, source text)
       ON CONFLICT DO NOTHING`,
      [version, JSON.stringify(lookups)],
    );
    await client.query(
      `INSERT INTO receita_files (version_id, name, checksum, rows, unread, unattributed, notes) VALUES ($1, $2, $3, $4, 0, 0, '{}')`,
      [version, name, checksum, lookups.length],
    );
  });
