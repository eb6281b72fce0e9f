import type { Knex } from 'knex';
import type pg from 'pg';
import type { Logger } from 'pino';
import { inClientTransaction } from '../../db/client-transaction.ts';
import { type CopyRow, copyRows, textArray } from '../../db/copy-rows.ts';
import { preparedAs } from '../../db/knex.ts';
import { databaseUnavailable } from '../../db/unavailable.ts';
import { currentRequest } from '../http/call-context.ts';
import type { ListEntry, ListSummary } from './registry.ts';
import type { Replace } from './sync.ts';
import {
  createVersionStore,
  nextVersionId,
  partitionOf,
  type RegistryState,
  type StoredVersion,
  toVersion,
  VERSION,
  type VersionRow,
  type VersionState,
  type VersionStore,
} from './version-store.ts';

/** The copy of one list from one origin in Postgres. */
export interface RegistryStore<R> {
  /** Looks up entries. All lists that a request looks up in one tick share one statement. */
  find(keys: readonly string[]): Promise<Found<R>>;
  /**
   * Reads the current version, and its records that have these fields, in the order of the file; null without a version. It runs one
   * statement.
   */
  records(where: Partial<R>): Promise<{ readonly version: StoredVersion; readonly records: readonly R[] } | null>;
  state(): Promise<RegistryState>;
  /** Records a successful sync without changes. */
  touch(at: number, etag?: string | null): Promise<void>;
  recordFailure(at: number, reason: string): Promise<void>;
  /**
   * Runs `work` under the lock of this list and origin; returns null without running it when any process holds the lock. `work` uses the
   * state over the connection of the lock (`own`).
   */
  exclusively<T>(
    work: (replace: Replace<ListEntry<R>, ListSummary>, own: VersionState) => Promise<T>,
    opening?: AbortSignal,
  ): Promise<T | null>;
}

const PARENT = 'registry_entries';
const COLUMNS = ['version_id', 'entry_id', 'keys', 'record'];

/** A lookup in one list from one origin. */
interface Lookup {
  readonly name: string;
  readonly origin: string;
  readonly keys: readonly string[];
}

/** The current version of a list, and its entries with any of the keys, in the order of the file. */
interface Found<R> {
  readonly version: StoredVersion | null;
  readonly entries: readonly ListEntry<R>[];
}

/**
 * SQL: one row for each entry that a lookup finds, or one without an entry if it finds none; no row for a list without a version. LATERAL
 * and OFFSET control the planner, which otherwise expects most of the table to match many literal keys and scans every version. In this
 * form it uses the index of the current version.
 */
const LOOKUPS = `SELECT asked.n::int, ${VERSION}, e.*
  FROM unnest(?::text[], ?::text[], ?::text[]) WITH ORDINALITY AS asked (name, origin, keys, n)
    JOIN registries r ON r.name = asked.name AND r.origin = asked.origin
    JOIN registry_versions v ON v.id = r.version_id
    LEFT JOIN LATERAL (
      SELECT entry_id, entry.keys, record, entry.ctid AS place FROM registry_entries entry
      WHERE version_id = r.version_id AND entry.keys && asked.keys::text[] OFFSET 0
    ) e ON true
  ORDER BY e.place`;

type LookupRow<R> = VersionRow & { readonly n: number; readonly entry_id: string | null; readonly keys: string[]; readonly record: R };

/** Reads lists in one statement, so that the version of a list and its entries are from one snapshot. */
async function readTogether(db: Knex, lookups: readonly Lookup[]): Promise<readonly Found<unknown>[]> {
  const columns = [lookups.map(({ name }) => name), lookups.map(({ origin }) => origin), lookups.map(({ keys }) => textArray(keys))];
  const { rows } = await db.raw(LOOKUPS, columns).options(preparedAs(db, 'list_entries'));
  const found = Map.groupBy(rows as readonly LookupRow<unknown>[], ({ n }) => n - 1);
  return lookups.map((_, n) => {
    const its = found.get(n) ?? [];
    return {
      version: its[0] ? toVersion(its[0]) : null,
      entries: its.flatMap(({ entry_id: id, keys, record }) => (id === null ? [] : [{ id, keys, record }])),
    };
  });
}

interface WaitingLookup extends PromiseWithResolvers<Found<unknown>> {
  readonly lookup: Lookup;
}

/** Lookups of this tick, by their request. Those of one request share a statement. All lists are in one pool. */
const waiting = new WeakMap<object, WaitingLookup[]>();

/** Reads a list together with the others that the same request reads in the same tick. */
function read(db: Knex, lookup: Lookup): Promise<Found<unknown>> {
  const one = { lookup, ...Promise.withResolvers<Found<unknown>>() };
  const request = currentRequest() ?? one;
  const queue = waiting.get(request);
  if (queue) queue.push(one);
  else {
    const all = [one];
    waiting.set(request, all);
    process.nextTick(() => {
      waiting.delete(request);
      void readAll(db, all);
    });
  }
  return one.promise;
}

/** Settles all lookups. A list that cannot be read fails alone. While the database is unavailable or too slow, all fail at once. */
async function readAll(db: Knex, all: readonly WaitingLookup[]): Promise<void> {
  try {
    const found = await readTogether(
      db,
      all.map(({ lookup }) => lookup),
    );
    for (const [i, { resolve }] of all.entries()) resolve(found[i] as Found<unknown>);
  } catch (error) {
    if (all.length > 1 && !databaseUnavailable(error)) for (const one of all) void readAll(db, [one]);
    else for (const { reject } of all) reject(error);
  }
}

export function createRegistryStore<R>(db: Knex, name: string, origin: string, log: Pick<Logger, 'error'>): RegistryStore<R> {
  const versions = createVersionStore(db, name, origin, log);
  return {
    state: versions.state,
    touch: versions.touch,
    recordFailure: versions.recordFailure,

    find: (keys) => read(db, { name, origin, keys }) as Promise<Found<R>>,

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

    exclusively: (work, opening) =>
      versions.exclusively((client, own) => work((...summary) => replace(client, versions, ...summary), own), opening),
  };
}

const replace = <R>(
  client: pg.Client,
  versions: VersionStore,
  ...[reading, approve, signal]: Parameters<Replace<ListEntry<R>, ListSummary>>
) =>
  inClientTransaction(client, async () => {
    const id = await nextVersionId(client);
    const { summary, entries, named } = await stage(client, id, reading, signal);
    const approval = approve(summary, named);
    if (approval) {
      return versions.switchTo(client, PARENT, { id, entries, named, ...summary, ...approval });
    }
    await client.query(`DROP TABLE ${partitionOf(PARENT, id)}`);
    return null;
  });

/**
 * Fills a new table with the parent's columns and index, so that attaching it only changes the catalogue. The statement lists the columns,
 * because LIKE would lock the parent until the end of the load. With COPY FREEZE the rows never need a vacuum.
 */
async function stage<R>(client: pg.Client, id: string, reading: AsyncGenerator<ListEntry<R>, ListSummary, void>, signal: AbortSignal) {
  const table = partitionOf(PARENT, id);
  await client.query(`
    CREATE TABLE ${table} (
      version_id bigint NOT NULL, entry_id text NOT NULL, keys text[] NOT NULL, record jsonb NOT NULL,
      CONSTRAINT ${table}_version CHECK (version_id = ${id})
    ) WITH (autovacuum_enabled = false)`);
  const { rows, result } = await copyRows(client, { table, columns: COLUMNS, freeze: true }, rowsOf(id, reading), signal);
  await client.query(`CREATE INDEX ${table}_keys ON ${table} USING gin (keys)`);
  await client.query(`ANALYZE ${table}`);
  return { entries: rows, ...result };
}

/** Yields the rows of entries. Returns the summary, and the number of named legal persons, each counted once per entry. */
async function* rowsOf<R>(
  version: string,
  reading: AsyncGenerator<ListEntry<R>, ListSummary, void>,
): AsyncGenerator<readonly CopyRow[], { readonly summary: ListSummary; readonly named: number }, void> {
  let named = 0;
  try {
    let step = await reading.next();
    while (!step.done) {
      const { id, keys, record } = step.value;
      named += keys.length;
      yield [[version, id, keys, JSON.stringify(record)]];
      step = await reading.next();
    }
    return { summary: step.value, named };
  } finally {
    await reading.return(undefined as never); // closes the file if the COPY was aborted
  }
}
