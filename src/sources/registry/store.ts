import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { withConnection } from '../../db/knex.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import type { ListVersion } from '../source.ts';
import { type Copied, copyRows } from './copy-rows.ts';
import type { Edition, ListEntry } from './registry.ts';

/** An edition as it is kept. */
export interface StoredVersion extends ListVersion {
  readonly rowsRead: number;
  /** Legal persons named. */
  readonly named: number;
  /** Version of the reader that made its records. */
  readonly shape: number;
}

/** What is known of a copy. Times are epoch ms. */
export interface RegistryState {
  readonly version: StoredVersion | null;
  readonly failedAt: number | null;
  readonly lastError: string | null;
}

/** What decides that an edition, read whole, shall answer. */
export interface Approval {
  /** SHA-256 of its file or files, hex. */
  readonly checksum: string;
  readonly shape: number;
  /** Epoch ms. */
  readonly loadedAt: number;
}

/**
 * Loads what `reading` yields as a new edition and lets it answer, in one transaction: all of it, or nothing is left.
 * `approve` sees the edition once it is read whole; null drops it again.
 * @throws whatever `reading` or `approve` throw, an abort, or the database's failure
 */
export type Replace<R> = (
  reading: AsyncGenerator<ListEntry<R>, Edition, void>,
  approve: (edition: Edition, named: number) => Approval | null,
  signal: AbortSignal,
) => Promise<'replaced' | 'dropped'>;

/** The copy of one list from one origin, in Postgres. */
export interface RegistryStore<R> {
  /** The edition that answers, and its entries that bear any of `keys` in the order of the file. One statement. */
  find(keys: readonly string[]): Promise<{ readonly version: StoredVersion | null; readonly entries: readonly ListEntry<R>[] }>;
  state(): Promise<RegistryState>;
  /** Records a visit that found nothing new. */
  touch(at: number): Promise<void>;
  recordFailure(at: number, reason: string): Promise<void>;
  /** Runs `visit` unless another of this list and origin is under way in any process: then null. */
  exclusively<T>(visit: (replace: Replace<R>) => Promise<T>): Promise<T | null>;
}

/** A COPY or an index build of a large list may take minutes; a hung one must not take for ever. */
const LOAD_STATEMENT_MS = 15 * MINUTE_MS;
/** Readers queue behind a lock that waits, so it waits briefly, and often. */
const LOCK_WAIT_MS = 100;
const LOCK_PAUSE_MS = 150;
const LOCK_TRIES = 20;
const LOCK_NOT_AVAILABLE = '55P03';

const epochMs = (column: string): string => `round(extract(epoch FROM ${column}) * 1000)::float8`;
const VERSION = `v.id::text, to_char(v.published_on, 'YYYY-MM-DD') AS "publishedOn", ${epochMs('v.loaded_at')} AS "loadedAt",
  ${epochMs('r.checked_at')} AS "checkedAt", v.entries, v.checksum, v.rows_read AS "rowsRead", v.named, v.shape`;

/**
 * The keys come as a subselect, and OFFSET keeps this apart, for the planner's sake: it takes many known keys for most of the
 * table and reads all of every edition, where so it looks into the one edition's index.
 */
const ENTRIES = `SELECT entry_id, keys, record, ctid AS place FROM registry_entries
  WHERE version_id = r.version_id AND keys && (SELECT ?::text[]) OFFSET 0`;

/** A row's columns of a version: all there, or all null where an outer join found none. */
type VersionRow = StoredVersion | { readonly [K in keyof StoredVersion]: null };

function toVersion(row: VersionRow): StoredVersion | null {
  if (row.id === null) return null;
  const { id, publishedOn, loadedAt, checkedAt, entries, checksum, rowsRead, named, shape } = row;
  return { id, publishedOn, loadedAt, checkedAt, entries, checksum, rowsRead, named, shape };
}

export function createRegistryStore<R>(db: Knex, name: string, origin: string): RegistryStore<R> {
  return {
    async find(keys) {
      const { rows } = await db.raw(
        `SELECT ${VERSION}, e.*
         FROM registries r JOIN registry_versions v ON v.id = r.version_id
           LEFT JOIN LATERAL (${ENTRIES}) e ON true
         WHERE r.name = ? AND r.origin = ?
         ORDER BY e.place`,
        [[...keys], name, origin],
      );
      const found: readonly (VersionRow & { entry_id: string | null; keys: string[]; record: R })[] = rows;
      return {
        version: found[0] ? toVersion(found[0]) : null,
        entries: found.flatMap((row) => (row.entry_id === null ? [] : [{ id: row.entry_id, keys: row.keys, record: row.record }])),
      };
    },

    async state() {
      const { rows } = await db.raw(
        `SELECT ${VERSION}, ${epochMs('r.failed_at')} AS "failedAt", r.last_error AS "lastError"
         FROM registries r LEFT JOIN registry_versions v ON v.id = r.version_id WHERE r.name = ? AND r.origin = ?`,
        [name, origin],
      );
      const row: (VersionRow & Omit<RegistryState, 'version'>) | undefined = rows[0];
      return { version: row ? toVersion(row) : null, failedAt: row?.failedAt ?? null, lastError: row?.lastError ?? null };
    },

    async touch(at) {
      const time = new Date(at);
      await db.raw('UPDATE registries SET checked_at = ?, attempted_at = ? WHERE name = ? AND origin = ?', [time, time, name, origin]);
    },

    async recordFailure(at, reason) {
      await db.raw(
        `INSERT INTO registries (name, origin, attempted_at, failed_at, last_error) VALUES (:name, :origin, :at, :at, :reason)
         ON CONFLICT (name, origin) DO UPDATE SET attempted_at = :at, failed_at = :at, last_error = :reason`,
        { name, origin, at: new Date(at), reason },
      );
    },

    exclusively: (visit) =>
      withConnection(
        db,
        async (client) => {
          const { rows } = await client.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS won', [
            `registry ${name} ${origin}`,
          ]);
          return rows[0].won ? visit((...edition) => replace(client, name, origin, ...edition)) : null;
        },
        { statementTimeoutMs: LOAD_STATEMENT_MS },
      ),
  };
}

async function replace<R>(client: pg.Client, name: string, origin: string, ...[reading, approve, signal]: Parameters<Replace<R>>) {
  await client.query('BEGIN');
  try {
    const { rows } = await client.query(`SELECT nextval(pg_get_serial_sequence('registry_versions', 'id'))::text AS id`);
    const id: string = rows[0].id;
    const { edition, entries, named } = await stage(client, id, reading, signal);
    const approval = approve(edition, named);
    if (!approval) {
      await client.query('ROLLBACK');
      return 'dropped';
    }
    const { checksum, shape, loadedAt } = approval;
    await client.query(
      `INSERT INTO registry_versions (id, name, origin, published_on, loaded_at, rows_read, rows_skipped, entries, named, checksum, shape)
       OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [id, name, origin, edition.publishedOn, new Date(loadedAt), edition.rowsRead, edition.rowsSkipped, entries, named, checksum, shape],
    );
    await switchTo(client, id, name, origin, new Date(loadedAt));
    await client.query('COMMIT');
    return 'replaced';
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined); // a lost connection has rolled back already
    throw error;
  }
}

const partitionOf = (id: string): string => `registry_entries_v${id}`;

/**
 * Fills a table of its own, as the parent has it, index included: attaching it then only checks the catalogue.
 * Its columns are named and not taken LIKE the parent's, because that would lock the parent until the end of the load.
 * Written frozen, once and for all, so that nothing ever has to vacuum it.
 */
async function stage<R>(client: pg.Client, id: string, reading: AsyncGenerator<ListEntry<R>, Edition, void>, signal: AbortSignal) {
  const table = partitionOf(id);
  await client.query(`
    CREATE TABLE ${table} (
      version_id bigint NOT NULL, entry_id text NOT NULL, keys text[] NOT NULL, record jsonb NOT NULL,
      CONSTRAINT ${table}_version CHECK (version_id = ${id})
    ) WITH (autovacuum_enabled = false)`);
  const read: { copied: Copied | null } = { copied: null };
  await pipeline(
    async function* () {
      read.copied = yield* copyRows(id, reading);
    },
    client.query(copyFrom(`COPY ${table} FROM STDIN WITH (FREEZE)`)),
    { signal },
  );
  if (!read.copied) throw new Error('the copy ended before its source');
  await client.query(`CREATE INDEX ${table}_keys ON ${table} USING gin (keys)`);
  await client.query(`ANALYZE ${table}`);
  return read.copied;
}

/**
 * Attaches the new partition, moves the pointer and drops the old partition. All readers are kept out meanwhile, for
 * milliseconds: one that had planned before and looked after would find the new edition without its partition, that is, empty.
 */
async function switchTo(client: pg.Client, id: string, name: string, origin: string, at: Date): Promise<void> {
  const { rows } = await client.query(
    `SELECT version_id::text AS id FROM registries
     WHERE name = $1 AND origin = $2 AND to_regclass('registry_entries_v' || version_id) IS NOT NULL`,
    [name, origin],
  );
  const old: readonly string[] = rows.map((row: { id: string }) => partitionOf(row.id));
  await lockTables(client, ['registry_entries', ...old]);
  await client.query(`ALTER TABLE registry_entries ATTACH PARTITION ${partitionOf(id)} FOR VALUES IN (${id})`);
  for (const table of old) await client.query(`DROP TABLE ${table}`);
  await client.query(
    `INSERT INTO registries (name, origin, version_id, checked_at, attempted_at) VALUES ($1, $2, $3, $4, $4)
     ON CONFLICT (name, origin) DO UPDATE SET version_id = $3, checked_at = $4, attempted_at = $4`,
    [name, origin, id, at],
  );
}

async function lockTables(client: pg.Client, tables: readonly string[]): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
  for (let attempt = 1; ; attempt += 1) {
    await client.query('SAVEPOINT unlocked');
    try {
      await client.query(`LOCK TABLE ${tables.map((table) => `ONLY ${table}`).join(', ')} IN ACCESS EXCLUSIVE MODE`);
      return;
    } catch (error) {
      if ((error as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE || attempt === LOCK_TRIES) throw error;
      await client.query('ROLLBACK TO SAVEPOINT unlocked');
      await sleep(LOCK_PAUSE_MS);
    }
  }
}
