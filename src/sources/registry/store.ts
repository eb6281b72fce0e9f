import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { ListEntry, ListSummary } from './registry.ts';
import {
  type Approval,
  createVersionStore,
  inTransaction,
  nextVersionId,
  partitionOf,
  type RegistryState,
  type StoredVersion,
  toVersion,
  VERSION,
  type VersionRow,
  type VersionStore,
} from './version-store.ts';

/**
 * Loads what `reading` yields as a new version and makes it current, in one transaction: all of it, or nothing remains.
 * `approve` is called once everything is read; null drops the version again.
 * @throws whatever `reading` or `approve` throw, an abort, or the database's failure
 */
export type Replace<R> = (
  reading: AsyncGenerator<ListEntry<R>, ListSummary, void>,
  approve: (summary: ListSummary, named: number) => Approval | null,
  signal: AbortSignal,
) => Promise<'replaced' | 'dropped'>;

/** The copy of one list from one origin in Postgres. */
export interface RegistryStore<R> {
  /** The current version, and its entries with any of `keys`, in the order of the file. One statement. */
  find(keys: readonly string[]): Promise<{ readonly version: StoredVersion | null; readonly entries: readonly ListEntry<R>[] }>;
  /** The current version, and its records that have these fields, in the order of the file; null without a version. One statement. */
  records(where: Partial<R>): Promise<{ readonly version: StoredVersion; readonly records: readonly R[] } | null>;
  state(): Promise<RegistryState>;
  /** Records a sync that found nothing new. */
  touch(at: number): Promise<void>;
  recordFailure(at: number, reason: string): Promise<void>;
  /** Runs `work` under the lock of this list and origin; returns null without running it when any process holds the lock. */
  exclusively<T>(work: (replace: Replace<R>) => Promise<T>): Promise<T | null>;
}

const PARENT = 'registry_entries';

/**
 * The subselect and OFFSET steer the planner: for many literal keys it expects most of the table to match and scans every version.
 * In this form it uses the index of the current version.
 */
const ENTRIES = `SELECT entry_id, keys, record, ctid AS place FROM registry_entries
  WHERE version_id = r.version_id AND keys && (SELECT ?::text[]) OFFSET 0`;

export function createRegistryStore<R>(db: Knex, name: string, origin: string): RegistryStore<R> {
  const versions = createVersionStore(db, name, origin);
  return {
    state: versions.state,
    touch: versions.touch,
    recordFailure: versions.recordFailure,

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

    async records(where) {
      const { rows } = await db.raw(
        `SELECT ${VERSION}, e.record
         FROM registries r JOIN registry_versions v ON v.id = r.version_id
           LEFT JOIN registry_entries e ON e.version_id = r.version_id AND e.record @> ?::jsonb
         WHERE r.name = ? AND r.origin = ?
         ORDER BY e.ctid`,
        [JSON.stringify(where), name, origin],
      );
      const found: readonly (VersionRow & { record: R | null })[] = rows;
      const version = found[0] ? toVersion(found[0]) : null;
      return version && { version, records: found.flatMap(({ record }) => (record === null ? [] : [record])) };
    },

    exclusively: (work) => versions.exclusively((client) => work((...summary) => replace(client, versions, ...summary))),
  };
}

const replace = <R>(client: pg.Client, versions: VersionStore, ...[reading, approve, signal]: Parameters<Replace<R>>) =>
  inTransaction(client, async () => {
    const id = await nextVersionId(client);
    const { summary, entries, named } = await stage(client, id, reading, signal);
    const approval = approve(summary, named);
    if (approval) {
      await versions.switchTo(client, PARENT, { id, entries, named, ...summary, ...approval });
      return 'replaced';
    }
    await client.query(`DROP TABLE ${partitionOf(PARENT, id)}`);
    return 'dropped';
  });

/**
 * Fills a new table with the parent's columns and index, so that attaching it only changes the catalogue.
 * Its columns are named and not taken LIKE the parent's, because that would lock the parent until the end of the load.
 * COPY FREEZE: the rows never need a vacuum.
 */
async function stage<R>(client: pg.Client, id: string, reading: AsyncGenerator<ListEntry<R>, ListSummary, void>, signal: AbortSignal) {
  const table = partitionOf(PARENT, id);
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

/** Result of a completed COPY. */
interface Copied {
  readonly summary: ListSummary;
  readonly entries: number;
  /** Legal persons named, counted once per entry. */
  readonly named: number;
}

const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Converts entries to chunks of COPY's text format (columns version_id, entry_id, keys, record). Returns the summary and the
 * counts. Holds one chunk in memory at a time.
 */
async function* copyRows<R>(
  version: string,
  reading: AsyncGenerator<ListEntry<R>, ListSummary, void>,
): AsyncGenerator<string, Copied, void> {
  let chunk = '';
  let entries = 0;
  let named = 0;
  try {
    let step = await reading.next();
    while (!step.done) {
      chunk += copyRow(version, step.value);
      entries += 1;
      named += step.value.keys.length;
      if (chunk.length > CHUNK_CHARACTERS) {
        yield chunk;
        chunk = '';
      }
      step = await reading.next();
    }
    if (chunk) yield chunk;
    return { summary: step.value, entries, named };
  } finally {
    await reading.return(undefined as never); // closes the file when the COPY was aborted
  }
}

const copyRow = <R>(version: string, { id, keys, record }: ListEntry<R>): string =>
  `${version}\t${escaped(id)}\t${escaped(textArray(keys))}\t${escaped(JSON.stringify(record))}\n`;

const textArray = (texts: readonly string[]): string => `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** Escapes a text for COPY's text format. */
const escaped = (text: string): string => text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);
