import type { Knex } from 'knex';
import { groupByQuery, type NumberedRow, queryTable } from '../../../../db/paging.ts';
import { isPartSql, isUnreadSql, lookupName, tableOf } from './tables.ts';

/** Request for a page of the branches of a company. */
export interface BranchQuery {
  /** First eight characters of the CNPJ. */
  readonly root: string;
  readonly first: number;
  /** Number of the establishment after which the page begins, four characters; null for the first page. */
  readonly after: string | null;
  /** Codes of registration statuses; null for all. */
  readonly statuses: readonly number[] | null;
}

/** A branch as stored. Dates are ISO. */
export interface StoredBranch {
  readonly branch: string;
  readonly cnpj: string;
  readonly tradeName: string | null;
  readonly status: number;
  readonly statusSince: string | null;
  readonly startedOn: string | null;
  readonly activity: number | null;
  readonly activityName: string | null;
  readonly state: string | null;
  readonly municipality: string | null;
}

/** Rows of a page, one more than requested if there are more. */
export interface StoredBranches {
  /** False if the version has no company with this root. */
  readonly isKnown: boolean;
  /** True if a row of the company could not be read, or the version has a part of it only, so that a branch may be missing. */
  readonly isUnread: boolean;
  /** Legal nature of the company; null if the files have none. */
  readonly nature: number | null;
  readonly rows: readonly StoredBranch[];
}

type BranchRow = NumberedRow & StoredBranch & Omit<StoredBranches, 'rows'>;

/** Returns a page for every query, by one statement. Head offices are no branches. */
export async function findBranches(db: Knex, id: string, queries: readonly BranchQuery[]): Promise<readonly StoredBranches[]> {
  const columns = { root: 'text', first: 'integer', after: 'text', statuses: 'smallint[]' };
  const { rows } = await db.raw(
    `SELECT query.n, c.root IS NOT NULL AS "isKnown", c.nature, b.branch, b.cnpj, b.trade_name AS "tradeName", b.status,
       ${isUnreadSql(id, 'query.root')} OR ${isPartSql(id, 'query.root')} AS "isUnread",
       b.status_since::text AS "statusSince", b.started_on::text AS "startedOn", b.activity,
       ${lookupName(id, 'activity', 'b.activity')} AS "activityName", b.state,
       ${lookupName(id, 'municipality', 'b.municipality')} AS municipality
     FROM ${queryTable(columns)}
       LEFT JOIN ${tableOf('companies', id)} c ON c.root = query.root COLLATE "C"
       LEFT JOIN LATERAL (SELECT e.*, e.root || e.branch || e.digits AS cnpj FROM ${tableOf('establishments', id)} e
         WHERE e.root = query.root COLLATE "C" AND e.branch > query.after COLLATE "C" AND NOT e.is_head
           AND (query.statuses IS NULL OR e.status = ANY (query.statuses))
         ORDER BY e.branch LIMIT query.first + 1) b ON true
     ORDER BY query.n, b.branch`,
    [JSON.stringify(queries.map(({ after, ...query }) => ({ ...query, after: after ?? '' })))],
  );
  return groupByQuery<BranchRow>(rows, queries.length).map((group) => ({
    isKnown: group[0]?.isKnown ?? false,
    isUnread: group[0]?.isUnread ?? false,
    nature: group[0]?.nature ?? null,
    rows: group.filter(({ branch }) => branch !== null),
  }));
}
