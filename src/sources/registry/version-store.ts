import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import type { Logger } from 'pino';
import { withConnection } from '../../db/knex.ts';
import { type RunSql, runOn, runOverPool } from '../../db/run-sql.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import { beside } from '../copies/after-load.ts';
import type { ListVersion } from '../source.ts';

/** A stored version. */
export interface StoredVersion extends ListVersion {
  readonly rowsRead: number;
  /** Number of named legal persons. */
  readonly named: number;
  /** Schema version of its records (column `shape`). */
  readonly schemaVersion: number;
}

/** State of a copy. Times are epoch ms. */
export interface RegistryState {
  readonly version: StoredVersion | null;
  readonly failedAt: number | null;
  readonly lastError: string | null;
  /** Checksum of a version that was rolled back, which is not loaded again; null for none. */
  readonly passedChecksum: string | null;
  /** ETag of the file that the last successful sync downloaded; null without one. */
  readonly etag: string | null;
}

/** Approval of a version that was read completely, which makes it the current one. */
export interface Approval {
  /** SHA-256 of its file or files, hex. */
  readonly checksum: string;
  readonly schemaVersion: number;
  /** Epoch ms of the load. */
  readonly loadedAt: number;
  /** ETag of its file; absent without one. */
  readonly etag?: string | null;
}

/** A new version whose rows are staged. */
export interface NewVersion extends Approval {
  readonly id: string;
  /** ISO date. */
  readonly publishedOn: string | null;
  readonly rowsRead: number;
  readonly rowsSkipped: number;
  readonly rowsUnmatched?: number;
  readonly entries: number;
  readonly named: number;
}

/** Reads and writes the state of one list from one origin. */
export interface VersionState {
  state(): Promise<RegistryState>;
  /** Records a successful sync without changes. @param etag of the file that was downloaded, if one was */
  touch(at: number, etag?: string | null): Promise<void>;
}

/** Store of the current version of one list from one origin, independent of the table of its rows. */
export interface VersionStore extends VersionState {
  recordFailure(at: number, reason: string): Promise<void>;
  /**
   * Runs `work` with a connection that holds the lock of this list and origin; returns null when any process holds the lock. `work` reads
   * and writes the state over that connection, which may take longer to open than one of the pool.
   * @param opening ends the wait for the connection
   */
  exclusively<T>(work: (client: pg.Client, own: VersionState) => Promise<T>, opening?: AbortSignal): Promise<T | null>;
  /**
   * Makes a version current, within a transaction. Its rows are in the table `{parent}_v{id}`, which has the check constraint on
   * version_id of a partition of `parent`, and its columns except those of later migrations. Drops the rows of the previous version, or of
   * those before it if that one is kept.
   * @returns the version as it is stored, so that nothing has to be read after the commit
   */
  switchTo(client: pg.Client, parent: string, version: NewVersion, keepsPrevious?: boolean): Promise<StoredVersion>;
  /** Makes the kept previous version current again, within a transaction. Returns false if none is kept. */
  rollBack(client: pg.Client, parent: string): Promise<boolean>;
}

/** Statement timeout of a load, in ms, which ends a load that hangs. A COPY or an index build of a large list may take minutes. */
const LOAD_STATEMENT_MS = 15 * MINUTE_MS;
/** Timeout of one attempt to get the lock. Readers queue behind a waiting lock request, so each attempt waits briefly and is repeated. */
const LOCK_WAIT_MS = 100;
const LOCK_PAUSE_MS = 150;
const LOCK_TRIES = 20;
const LOCK_NOT_AVAILABLE = '55P03';

const epochMs = (column: string): string => `round(extract(epoch FROM ${column}) * 1000)::float8`;

/** SQL: columns of a VersionRow, of `registry_versions v` and `registries r`. */
export const VERSION = `v.id::text, to_char(v.published_on, 'YYYY-MM-DD') AS "publishedOn", ${epochMs('v.loaded_at')} AS "loadedAt",
  ${epochMs('r.checked_at')} AS "checkedAt", v.entries, v.rows_unmatched AS "rowsUnmatched", v.checksum, v.rows_read AS "rowsRead", v.named, v.shape AS "schemaVersion"`;

/** Columns of a version in a row: all set, or all null when an outer join found no version. */
export type VersionRow = StoredVersion | { readonly [K in keyof StoredVersion]: null };

export function toVersion(row: VersionRow): StoredVersion | null {
  if (row.id === null) return null;
  const { id, publishedOn, loadedAt, checkedAt, entries, rowsUnmatched, checksum, rowsRead, named, schemaVersion } = row;
  return { id, publishedOn, loadedAt, checkedAt, entries, rowsUnmatched, checksum, rowsRead, named, schemaVersion };
}

export const partitionOf = (parent: string, id: string): string => `${parent}_v${id}`;

/** Reserves the id of a new version. Ids are unique over all lists. */
export async function nextVersionId(client: pg.Client): Promise<string> {
  const { rows } = await client.query(`SELECT nextval(pg_get_serial_sequence('registry_versions', 'id'))::text AS id`);
  return rows[0].id;
}

const failureOf = (row: Omit<RegistryState, 'version'> | undefined): Omit<RegistryState, 'version'> => ({
  failedAt: row?.failedAt ?? null,
  lastError: row?.lastError ?? null,
  passedChecksum: row?.passedChecksum ?? null,
  etag: row?.etag ?? null,
});

/** @param log for an old version that could not be deleted */
export function createVersionStore(db: Knex, name: string, origin: string, log: Pick<Logger, 'error'>): VersionStore {
  const stateOver = (run: RunSql): VersionState => ({
    async state() {
      const { rows } = await run(
        `SELECT ${VERSION}, ${epochMs('r.failed_at')} AS "failedAt", r.last_error AS "lastError",
           r.passed_checksum AS "passedChecksum", r.etag
         FROM registries r LEFT JOIN registry_versions v ON v.id = r.version_id WHERE r.name = ? AND r.origin = ?`,
        [name, origin],
      );
      const row: (VersionRow & Omit<RegistryState, 'version'>) | undefined = rows[0];
      return { version: row ? toVersion(row) : null, ...failureOf(row) };
    },

    async touch(at, etag) {
      await run(
        `UPDATE registries SET checked_at = :at, attempted_at = :at ${etag === undefined ? '' : ', etag = :etag'}
         WHERE name = :name AND origin = :origin`,
        { at: new Date(at), name, origin, ...(etag !== undefined && { etag }) },
      );
    },
  });

  return {
    ...stateOver(runOverPool(db)),

    async recordFailure(at, reason) {
      await db.raw(
        `INSERT INTO registries (name, origin, attempted_at, failed_at, last_error) VALUES (:name, :origin, :at, :at, :reason)
         ON CONFLICT (name, origin) DO UPDATE SET attempted_at = :at, failed_at = :at, last_error = :reason`,
        { name, origin, at: new Date(at), reason },
      );
    },

    exclusively: (work, opening) =>
      withConnection(
        db,
        async (client) => {
          const { rows } = await client.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS won', [
            `registry ${name} ${origin}`,
          ]);
          return rows[0].won ? work(client, stateOver(runOn(client, db))) : null;
        },
        { statementTimeoutMs: LOAD_STATEMENT_MS, ...(opening && { opening }) },
      ),

    async rollBack(client, parent) {
      const { rows } = await client.query(
        `UPDATE registries r SET passed_checksum = c.checksum, version_id = p.id
         FROM registry_versions c, LATERAL (
           SELECT max(v.id) AS id FROM registry_versions v
           WHERE v.name = $1 AND v.origin = $2 AND v.id < c.id AND to_regclass($3::text || '_v' || v.id) IS NOT NULL
         ) p
         WHERE r.name = $1 AND r.origin = $2 AND c.id = r.version_id AND p.id IS NOT NULL RETURNING p.id`,
        [name, origin, parent],
      );
      return rows.length > 0;
    },

    async switchTo(client, parent, version, keepsPrevious = false) {
      const { id, loadedAt } = version;
      const stored = await recordVersion(client, [name, origin], version);
      await swapPartitions(client, parent, { id, name, origin, keepsPrevious, log });
      await client.query(
        `INSERT INTO registries (name, origin, version_id, checked_at, attempted_at, etag) VALUES ($1, $2, $3, $4, $4, $5)
         ON CONFLICT (name, origin) DO UPDATE SET version_id = $3, checked_at = $4, attempted_at = $4, passed_checksum = NULL, etag = $5`,
        [name, origin, id, new Date(loadedAt), version.etag ?? null],
      );
      return stored;
    },
  };
}

/** Stores the facts of a new version, which its rows or differences refer to. It does not become the current one. */
export async function recordVersion(
  client: pg.Client,
  [name, origin]: readonly [name: string, origin: string],
  version: NewVersion,
): Promise<StoredVersion> {
  const { id, publishedOn, loadedAt, rowsRead, rowsSkipped, rowsUnmatched = 0, entries, named, checksum, schemaVersion } = version;
  await client.query(
    `INSERT INTO registry_versions (id, name, origin, published_on, loaded_at, rows_read, rows_skipped, rows_unmatched, entries, named,
       checksum, shape)
     OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [id, name, origin, publishedOn, new Date(loadedAt), rowsRead, rowsSkipped, rowsUnmatched, entries, named, checksum, schemaVersion],
  );
  return { id, publishedOn, loadedAt, checkedAt: loadedAt, entries, rowsUnmatched, checksum, rowsRead, named, schemaVersion };
}

interface Swap {
  readonly id: string;
  readonly name: string;
  readonly origin: string;
  readonly keepsPrevious: boolean;
  readonly log: Pick<Logger, 'error'>;
}

/**
 * Attaches the new partition and drops the old one. It locks out all readers until the transaction ends, for milliseconds, because a query
 * planned before the swap and run after it would see the new version without its partition, that is, empty. An old partition that cannot
 * be dropped does not fail the load: the next load drops it.
 */
async function swapPartitions(client: pg.Client, parent: string, { id, name, origin, keepsPrevious, log }: Swap): Promise<void> {
  const { rows } = await client.query(
    `SELECT v.id::text AS id FROM registry_versions v LEFT JOIN registries r ON r.name = v.name AND r.origin = v.origin AND r.version_id = v.id
     WHERE v.name = $1 AND v.origin = $2 AND v.id <> $4 AND to_regclass($3::text || '_v' || v.id) IS NOT NULL AND NOT ($5 AND r.version_id IS NOT NULL)`,
    [name, origin, parent, id, keepsPrevious],
  );
  const old: readonly string[] = rows.map((row: { id: string }) => partitionOf(parent, row.id));
  await lockTable(client, parent);
  await addMissingColumns(client, parent, partitionOf(parent, id));
  await client.query(`ALTER TABLE ${parent} ATTACH PARTITION ${partitionOf(parent, id)} FOR VALUES IN (${id})`);
  const failed = 'an old version could not be deleted; the next load tries again';
  for (const table of old)
    await beside(() => inSavepoint(client, `DROP TABLE ${table}`), { log, copy: { list: name, origin, table }, failed });
}

/**
 * Adds the columns that only the parent has. A migration of a later version may have added them beside this process, even during the load,
 * and a table without them cannot be attached. They are known for certain only while the parent is locked.
 */
async function addMissingColumns(client: pg.Client, parent: string, table: string): Promise<void> {
  const { rows } = await client.query(
    `SELECT format('ADD COLUMN %I %s%s%s', p.attname, format_type(p.atttypid, p.atttypmod), ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid),
       CASE WHEN p.attnotnull THEN ' NOT NULL' END) AS change
     FROM pg_attribute p LEFT JOIN pg_attrdef d ON d.adrelid = p.attrelid AND d.adnum = p.attnum
     WHERE p.attrelid = $1::regclass AND p.attnum > 0 AND NOT p.attisdropped
       AND NOT EXISTS (SELECT FROM pg_attribute t WHERE t.attrelid = $2::regclass AND t.attname = p.attname AND NOT t.attisdropped)`,
    [parent, table],
  );
  const changes: readonly string[] = rows.map((row: { change: string }) => row.change);
  if (changes.length > 0) await client.query(`ALTER TABLE ${table} ${changes.join(', ')}`);
}

/** Runs a statement within a transaction, which continues if the statement fails. @throws the error of the statement */
async function inSavepoint(client: pg.Client, statement: string): Promise<void> {
  await client.query('SAVEPOINT before');
  try {
    await client.query(statement);
  } catch (error) {
    await client.query('ROLLBACK TO SAVEPOINT before');
    throw error;
  }
}

/** Locks a partitioned table, without its partitions, against all readers. Of the partitions only readers of their own names are left. */
async function lockTable(client: pg.Client, table: string): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inSavepoint(client, `LOCK TABLE ONLY ${table} IN ACCESS EXCLUSIVE MODE`);
    } catch (error) {
      if ((error as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE || attempt === LOCK_TRIES) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}
