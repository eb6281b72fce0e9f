import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { inClientTransaction } from '../../db/client-transaction.ts';
import { type CopyReads, isAtLeast, readsOf } from '../../db/read-replica.ts';
import { type RunSql, runOn, runOverPool } from '../../db/run-sql.ts';
import {
  createVersionStore,
  type StoredVersion,
  toVersion,
  VERSION,
  type VersionRow,
  type VersionState,
  type VersionStore,
} from '../registry/version-store.ts';
import { KINDS, type StoredRow } from './composition.ts';
import {
  type FoundOwnershipChanges,
  findOwnershipChanges,
  findOwnershipSince,
  type OwnershipChangesQuery,
  type OwnershipSince,
} from './store/changes.ts';
import { type CopyName, pruneComparisons } from './store/comparisons.ts';
import { type LoadCompositions, loadBefore, loadVersion } from './store/load.ts';
import { PARENT, shareSql, TEXT_SQL } from './store/tables.ts';

/** Rows by the number of the RUT of the company that they are about. */
export type RowsBySociety = ReadonlyMap<number, readonly StoredRow[]>;

/** Request for companies that a company owns, by their RUT. */
export interface OwnedQuery {
  /** Number of the RUT of the owner. */
  readonly partner: number;
  /** Number of the RUT after which the page begins; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

/** A company of which a company owns a part. */
export interface StoredOwned {
  readonly partner: number;
  readonly society: number;
  /** Percentage; null if the share of one of its rows is not known. */
  readonly share: string | null;
  /** Text of a share that is no percentage; null if there is none. */
  readonly text: string | null;
}

interface WithVersion {
  readonly version: StoredVersion | null;
}

/** The state of the copy over the connection of its lock, and the file of an earlier year. */
interface OwnState extends VersionState {
  readonly earlier: {
    /** True while there is no file before the version that answers. */
    isMissing(): Promise<boolean>;
    /** Puts a file before the version that answers. */
    readonly load: LoadCompositions;
  };
}

/** Stores the copy of the file from one origin in Postgres. */
export interface ClOwnershipStore extends Pick<VersionStore, 'state' | 'touch' | 'recordFailure'> {
  /** Returns the rows of companies by one statement. @param known id of the minimum version to return */
  compositions(societies: readonly number[], known: string | null): Promise<WithVersion & { readonly rows: RowsBySociety }>;
  /**
   * Returns the companies that owners own by one statement. `unread`: number of rows of which the owner or the company could not be read.
   */
  owned(
    queries: readonly OwnedQuery[],
    known: string | null,
  ): Promise<WithVersion & { readonly unread: number; readonly rows: readonly (readonly StoredOwned[])[] }>;
  /** Returns the edges of companies, as owners and as owned companies, by one statement. */
  links(
    companies: readonly number[],
    limit: number,
    known: string | null,
  ): Promise<WithVersion & { readonly unread: number; readonly rows: readonly StoredOwned[] }>;
  /** Returns a page of the changes of each company by one statement. */
  changes(
    queries: readonly OwnershipChangesQuery[],
    known: string | null,
  ): Promise<WithVersion & { readonly found: readonly FoundOwnershipChanges[] }>;
  /** Returns the changes of each company after an ISO date by one statement. */
  changesSince(
    queries: readonly { readonly society: number; readonly asOf: string }[],
    known: string | null,
  ): Promise<WithVersion & { readonly found: readonly OwnershipSince[] }>;
  /** True if the version that answers was compared with none before it, so that the history begins with it. */
  isFirst(): Promise<boolean>;
  /** Runs `work` under a lock that spans processes. Returns null without running it when another process holds the lock. */
  exclusively<T>(work: (load: LoadCompositions, own: OwnState) => Promise<T>, opening?: AbortSignal): Promise<T | null>;
  /** Makes the version before the current one current again. False without one; null when another process holds the lock. */
  rollBack(): Promise<boolean | null>;
}

export function createClOwnershipStore(
  db: Knex,
  name: string,
  origin: string,
  log: Pick<Logger, 'error'>,
  reads: CopyReads = readsOf(db),
): ClOwnershipStore {
  const versions = createVersionStore(db, name, origin, log);
  const copy = [name, origin] as const;
  const readAtLeast = <T extends WithVersion>(read: (db: Knex) => Promise<T>, known: string | null): Promise<T> =>
    reads.read(read, ({ version }) => isAtLeast(version?.id, known));
  return {
    state: versions.state,
    touch: versions.touch,
    recordFailure: versions.recordFailure,
    compositions: (societies, known) => readAtLeast((db) => findRows(db, copy, societies), known),
    owned: (queries, known) => readAtLeast((db) => findOwned(db, copy, queries), known),
    links: (companies, limit, known) => readAtLeast((db) => findLinks(db, copy, companies, limit), known),
    changes: (queries, known) => readAtLeast((db) => findOwnershipChanges(db, copy, queries), known),
    changesSince: (queries, known) => readAtLeast((db) => findOwnershipSince(db, copy, queries), known),
    isFirst: () => isFirst(runOverPool(db), copy),
    rollBack: () => versions.exclusively((client) => inClientTransaction(client, () => versions.rollBack(client, PARENT))),
    exclusively: (work, opening) =>
      versions.exclusively(async (client, own) => {
        const earlier = {
          isMissing: () => isFirst(runOn(client, db), copy),
          load: (...parts: Parameters<LoadCompositions>) => loadBefore(client, copy, ...parts),
        };
        const result = await work((...parts) => loadVersion(client, versions, copy, ...parts), { ...own, earlier });
        await pruneComparisons(client, copy, log);
        return result;
      }, opening),
  };
}

async function isFirst(run: RunSql, copy: CopyName): Promise<boolean> {
  const { rows } = await run(
    `SELECT FROM registries r WHERE r.name = ? AND r.origin = ? AND r.version_id IS NOT NULL
       AND NOT EXISTS (SELECT FROM cl_ownership_comparisons c WHERE c.to_version = r.version_id AND c.counts IS NOT NULL)`,
    copy,
  );
  return rows.length > 0;
}

async function findRows(db: Knex, copy: CopyName, societies: readonly number[]): ReturnType<ClOwnershipStore['compositions']> {
  const { rows } = await db.raw(
    `SELECT ${VERSION}, c.society, c.kind, c.partner, c.share::text AS share, c.share_problem AS problem, c.share_text AS text
     FROM registries r JOIN registry_versions v ON v.id = r.version_id
       LEFT JOIN ${PARENT} c ON c.version_id = r.version_id AND c.society = ANY (?::integer[])
     WHERE r.name = ? AND r.origin = ?`,
    [[...societies], ...copy],
  );
  const found: readonly (VersionRow & StoredRow & { readonly society: number | null })[] = rows;
  const listed = found.filter(({ society }) => society !== null);
  return { version: found[0] ? toVersion(found[0]) : null, rows: Map.groupBy(listed, ({ society }) => society ?? 0) };
}

/** SQL: number of rows of a version that could not be read. */
const UNREAD = `v.rows_unmatched + (SELECT count(*)::integer FROM ${PARENT} u WHERE u.version_id = r.version_id AND u.kind = ${KINDS.unread}) AS unread`;
const SUM = shareSql('c.share');

async function findLinks(db: Knex, copy: CopyName, companies: readonly number[], limit: number): ReturnType<ClOwnershipStore['links']> {
  const of = (column: string) =>
    `SELECT c.partner, c.society, ${SUM} AS share, ${TEXT_SQL} AS text FROM ${PARENT} c
     WHERE c.version_id = r.version_id AND c.${column} = ANY (?::integer[]) AND c.partner IS NOT NULL GROUP BY c.partner, c.society`;
  const { rows } = await db.raw(
    `SELECT ${VERSION}, h.partner, h.society, h.share::text AS share, h.text, ${UNREAD}
     FROM registries r JOIN registry_versions v ON v.id = r.version_id
       LEFT JOIN LATERAL (${of('partner')} UNION ${of('society')} ORDER BY partner, society LIMIT ?) h ON true
     WHERE r.name = ? AND r.origin = ?`,
    [[...companies], [...companies], limit, ...copy],
  );
  const found: readonly (VersionRow & StoredOwned & { readonly unread: number })[] = rows;
  const version = found[0] ? toVersion(found[0]) : null;
  return { version, unread: found[0]?.unread ?? 0, rows: found.filter(({ society }) => society !== null) };
}

async function findOwned(db: Knex, copy: CopyName, queries: readonly OwnedQuery[]): ReturnType<ClOwnershipStore['owned']> {
  const { rows } = await db.raw(
    `SELECT ${VERSION}, query.n::integer - 1 AS n, query.partner, h.society, h.share::text AS share, h.text, ${UNREAD}
     FROM registries r JOIN registry_versions v ON v.id = r.version_id
       CROSS JOIN unnest(?::integer[], ?::integer[], ?::integer[]) WITH ORDINALITY AS query (partner, after, first, n)
       LEFT JOIN LATERAL (
         SELECT c.society, ${SUM} AS share, ${TEXT_SQL} AS text FROM ${PARENT} c
         WHERE c.version_id = r.version_id AND c.partner = query.partner AND c.society > query.after
         GROUP BY c.society ORDER BY c.society LIMIT query.first
       ) h ON true
     WHERE r.name = ? AND r.origin = ?
     ORDER BY query.n, h.society`,
    [queries.map(({ partner }) => partner), queries.map(({ after }) => after), queries.map(({ limit }) => limit), ...copy],
  );
  const found: readonly (VersionRow & StoredOwned & { readonly n: number; readonly unread: number })[] = rows;
  const pages = Map.groupBy(
    found.filter(({ society }) => society !== null),
    ({ n }) => n,
  );
  const version = found[0] ? toVersion(found[0]) : null;
  return { version, unread: found[0]?.unread ?? 0, rows: queries.map((_, i) => pages.get(i) ?? []) };
}
