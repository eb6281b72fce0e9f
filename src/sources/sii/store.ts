import type { Knex } from 'knex';
import type pg from 'pg';
import type { Logger } from 'pino';
import { inClientTransaction } from '../../db/client-transaction.ts';
import { copyTuples } from '../../db/copy-tuples.ts';
import { type CopyReads, isAtLeast, readsOf } from '../../db/read-replica.ts';
import { type RunSql, runOn } from '../../db/run-sql.ts';
import { numberOfRut, rutOfNumber } from '../../domain/tax-id.ts';
import {
  type Approval,
  createVersionStore,
  nextVersionId,
  partitionOf,
  type StoredVersion,
  toVersion,
  VERSION,
  type VersionRow,
  type VersionState,
  type VersionStore,
} from '../registry/version-store.ts';
import { regionName } from './catalogues.ts';
import type { ReadSummary, TableRead } from './read.ts';
import { END_OF_RUTS } from './row.ts';
import type { SiiCompany, SiiHits } from './sii.ts';
import { loadSql } from './store/merge.ts';
import { buildNameIndex, type NameHits, type NameSearch, searchNames } from './store/names.ts';

/** The files from which the current version was read. */
export interface StoredFiles {
  readonly companies: number;
  readonly newestYear: number;
  /** True for files that an operator named in a command; false for files of the publisher. */
  readonly byHand: boolean;
  readonly tables: readonly Pick<TableRead, 'table' | 'rows'>[];
}

/** Facts stored with a version that was approved. */
export type SiiApproval = Approval & { readonly publishedOn: string; readonly byHand: boolean };

/**
 * Loads the tuples of `read` as a new version and makes it the current one, in one transaction. `approve` is called with the totals after
 * everything was read; it throws to reject the version and roll back.
 */
export type LoadVersion = (
  read: (version: number) => AsyncGenerator<Buffer, ReadSummary, void>,
  approve: (read: ReadSummary) => SiiApproval,
  report: (step: string) => void,
  signal: AbortSignal,
) => Promise<StoredVersion>;

/** Reads and writes the state of the copy. */
export interface SiiState extends VersionState {
  /** Returns the files from which the current version was read; null when there is no version. */
  files(): Promise<StoredFiles | null>;
}

/** Stores the copy of the registry's files from one origin in Postgres. */
export interface SiiStore extends Pick<VersionStore, 'state' | 'recordFailure'> {
  /**
   * Returns the current version and the requested companies that it contains, by bare RUT, by one statement.
   * @param known id of the minimum version to return
   */
  find(
    ruts: readonly string[],
    known?: string | null,
  ): Promise<Pick<SiiHits, 'companies' | 'unread'> & { readonly version: StoredVersion | null }>;
  /** Builds the search index of the current version's names if it is missing. It does nothing while another process has the lock. */
  indexNames(signal: AbortSignal): Promise<void>;
  searchNames(search: NameSearch): Promise<NameHits>;
  /**
   * Runs `work` under a lock that spans processes. Returns null without running it when another process holds the lock. `work` uses the
   * state over the connection of the lock (`own`). `opening` ends the wait for that connection.
   */
  exclusively<T>(work: (load: LoadVersion, own: SiiState) => Promise<T>, opening?: AbortSignal): Promise<T | null>;
}

const PARENT = 'sii_companies';

const COMPANY = `c.rut, c.name, c.commercial_year AS "commercialYear", c.started_on AS "startedOn", c.first_registered_on AS "firstRegisteredOn",
  c.ended_on AS "endedOn", c.end_kind AS "endKind", c.sales_bracket AS "salesBracket", c.workers, c.activity_code AS "activityCode",
  c.activity, c.region, c.commune, c.kind`;

/** A company's columns; `rut` is null when the outer join found no company. */
type CompanyRow = Omit<SiiCompany, 'rut' | 'activity' | 'regionName'> & {
  readonly rut: number | null;
  readonly activityCode: string | null;
  readonly activity: string | null;
};

export function createSiiStore(
  db: Knex,
  name: string,
  origin: string,
  log: Pick<Logger, 'error'>,
  reads: CopyReads = readsOf(db),
): SiiStore {
  const versions = createVersionStore(db, name, origin, log);
  return {
    state: versions.state,
    recordFailure: versions.recordFailure,

    find: (ruts, known = null) =>
      reads.read(
        (db) => findCompanies(db, { name, origin }, ruts),
        ({ version }) => isAtLeast(version?.id, known),
      ),

    async indexNames(signal) {
      await versions.exclusively(async (client, own) => {
        const { version } = await own.state();
        if (version) await buildNameIndex(client, origin, version.id, signal);
      }, signal);
    },

    searchNames: (search) =>
      reads.read(
        (db) => searchNames(db, { name, origin }, search),
        ({ version }) => version !== null, // the index of an older version answers until a newer one is built, also on the primary
      ),

    exclusively: (work, opening) =>
      versions.exclusively((client, own) => {
        const files = () => readFiles(runOn(client, db), name, origin);
        return work((...summary) => load(client, versions, ...summary), { ...own, files });
      }, opening),
  };
}

async function readFiles(run: RunSql, name: string, origin: string): Promise<StoredFiles | null> {
  const { rows } = await run(
    `SELECT v.named AS companies, f.table_name AS table, f.rows, f.newest_year AS "newestYear", f.by_hand AS "byHand"
     FROM registries r JOIN registry_versions v ON v.id = r.version_id JOIN sii_files f ON f.version_id = v.id
     WHERE r.name = ? AND r.origin = ?`,
    [name, origin],
  );
  const files: readonly { companies: number; table: TableRead['table']; rows: number; newestYear: number | null; byHand: boolean }[] = rows;
  const first = files[0];
  if (!first) return null;
  const newestYear = Math.max(...files.map((file) => file.newestYear ?? 0));
  return { companies: first.companies, newestYear, byHand: first.byHand, tables: files };
}

/** Reads the version and its companies in one statement, so that both are from one snapshot. */
async function findCompanies(db: Knex, copy: { readonly name: string; readonly origin: string }, ruts: readonly string[]) {
  const { rows } = await db.raw(
    `SELECT ${VERSION}, ${COMPANY}
       FROM registries r JOIN registry_versions v ON v.id = r.version_id
         LEFT JOIN sii_companies c ON c.version_id = r.version_id AND c.rut = ANY (?::integer[])
       WHERE r.name = ? AND r.origin = ?`,
    [ruts.map(numberOfRut).flatMap((number) => [number, number + END_OF_RUTS]), copy.name, copy.origin],
  );
  const found: readonly (VersionRow & CompanyRow)[] = rows;
  const version = found[0] ? toVersion(found[0]) : null;
  const companies = found.flatMap((row) => (row.rut === null || row.rut >= END_OF_RUTS ? [] : [toCompany(row.rut, row)]));
  const byRut = new Map(companies.map((one) => [one.rut, one]));
  const doubtful = new Set(found.map(({ rut }) => (rut ?? 0) - END_OF_RUTS));
  const hasUnmatched = (version?.rowsUnmatched ?? 0) > 0;
  const isUnread = (rut: string) => {
    const company = byRut.get(rut);
    return (doubtful.has(numberOfRut(rut)) && !company?.endedOn) || (hasUnmatched && !company);
  };
  return { version, companies: byRut, unread: new Set(ruts.filter(isUnread)) };
}

function toCompany(number: number, row: CompanyRow): SiiCompany {
  const { name, commercialYear, startedOn, firstRegisteredOn, endedOn, endKind, salesBracket, workers, region, commune, kind } = row;
  return {
    rut: rutOfNumber(number),
    name,
    commercialYear,
    startedOn,
    firstRegisteredOn,
    endedOn,
    endKind,
    salesBracket,
    workers,
    activity: row.activity === null ? null : { code: row.activityCode, description: row.activity },
    region,
    regionName: region === null ? null : regionName(region),
    commune,
    kind,
  };
}

const load = (
  client: pg.Client,
  versions: VersionStore,
  ...[read, approve, report, signal]: Parameters<LoadVersion>
): Promise<StoredVersion> =>
  inClientTransaction(client, async () => {
    const id = await nextVersionId(client);
    const sql = loadSql(`sii_load_v${id}`, partitionOf(PARENT, id), id);
    await client.query(sql.begin);
    const summary = await copyTuples(client, sql.copy, read(Number(id)), signal);
    const approval = approve(summary);
    signal.throwIfAborted();
    report('merge');
    const { rows } = await client.query(sql.hasMore);
    if (rows[0].more) await client.query(sql.merge);
    signal.throwIfAborted();
    report('switch');
    await client.query(sql.finish);
    const { tables, companies, newestYear, unmatched } = summary;
    const rowsRead = tables.reduce((sum, { rows }) => sum + rows, 0);
    const rowsSkipped = tables.reduce((sum, { skipped }) => sum + skipped, 0);
    const version = await versions.switchTo(client, PARENT, {
      id,
      rowsRead,
      rowsSkipped,
      rowsUnmatched: unmatched,
      entries: companies,
      named: companies,
      ...approval,
    });
    await client.query(
      `INSERT INTO sii_files (version_id, table_name, rows, newest_year, by_hand)
       SELECT $1, t.table, t.rows, CASE t.table WHEN 'companies' THEN $2::smallint END, $3
       FROM jsonb_to_recordset($4) AS t("table" text, rows integer)`,
      [id, newestYear, approval.byHand, JSON.stringify(tables)],
    );
    return version;
  });
