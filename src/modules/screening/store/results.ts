import type { Knex } from 'knex';
import {
  groupByQuery,
  type NumberedRow,
  type Owned,
  type OwnedPageRequest,
  type Page,
  queryTable,
  ROW_QUERIES,
  toPages,
} from '../../../db/paging.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import type { Completeness, RiskLevel } from '../../../domain/compliance.ts';
import type { RejectedRow, StoredRejectedRow } from '../domain/portfolio.ts';
import {
  type Findings,
  NO_FINDINGS,
  type PortfolioResult,
  type ResultGroup,
  type RowOutcome,
  type ScreenedModule,
  type ScreeningResult,
} from '../domain/screening.ts';

/** A page of results. `after` is a row of the portfolio. A filter that is null does not restrict. */
export interface ResultsQuery extends OwnedPageRequest<number> {
  readonly riskLevel: RiskLevel | null;
  readonly completeness: Completeness | null;
  /** False for the companies without any answer. */
  readonly answered: boolean | null;
}

interface ResultRow {
  readonly ordinal: number;
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly risk_level: RiskLevel | null;
  readonly completeness: Completeness | null;
  readonly findings: Partial<Findings> | null;
  readonly failed_modules: readonly ScreenedModule[];
  readonly checked_at: Date;
  readonly own_cells: readonly string[] | null;
}

/** Reads results of screenings in the order of their portfolios, without pending companies. */
export async function pageResults(db: Knex, queries: readonly ResultsQuery[]): Promise<readonly Page<ScreeningResult>[]> {
  const { rows } = await db.raw(
    `SELECT query.n, found.* FROM ${queryTable({ keyId: 'uuid', id: 'uuid', first: 'int', after: 'bigint', riskLevel: 'text', completeness: 'text', answered: 'boolean' })}
       JOIN screenings s ON s.id = query.id AND s.key_id = query."keyId",
       LATERAL (SELECT c.* FROM screening_companies c
         WHERE c.screening_id = s.id AND c.ordinal > coalesce(query.after, 0) AND c.state <> 'pending'
           AND (query."riskLevel" IS NULL OR c.risk_level = query."riskLevel")
           AND (query.completeness IS NULL OR c.completeness = query.completeness)
           AND (query.answered IS NULL OR (c.state = 'answered') = query.answered)
         ORDER BY c.ordinal LIMIT query.first + 1) AS found
     ORDER BY found.ordinal`,
    [JSON.stringify(queries)],
  );
  return toPages<ResultRow & NumberedRow, ScreeningResult>(rows, queries, toResult);
}

const toResult = (row: ResultRow): ScreeningResult => ({
  row: row.ordinal,
  company: { country: row.country, taxId: row.tax_id },
  findings: { ...NO_FINDINGS, ...row.findings, riskLevel: row.risk_level, completeness: row.completeness },
  failedModules: row.failed_modules,
  checkedAt: row.checked_at.getTime(),
  ownCells: row.own_cells,
});

/** A company with its outcome, or a rejected row, whose columns of a company are null. */
interface AnyRow extends Omit<ResultRow, 'country' | 'tax_id' | 'checked_at'> {
  readonly outcome: RowOutcome;
  readonly country: CompanyKey['country'] | null;
  readonly tax_id: string;
  readonly checked_at: Date | null;
  readonly reason: string | null;
}

/** Reads a page of all rows of a portfolio, in its order. */
export async function pageRows(db: Knex, { keyId, id, first, after }: OwnedPageRequest<number>): Promise<Page<PortfolioResult>> {
  const { rows } = await db.raw<{ rows: readonly AnyRow[] }>(
    `WITH owned AS (SELECT id FROM screenings WHERE id = :id AND key_id = :keyId)
     (SELECT c.ordinal, c.state AS outcome, c.country, c.tax_id, c.risk_level, c.completeness, c.findings, c.failed_modules, c.checked_at,
        NULL AS reason, c.own_cells
      FROM screening_companies c JOIN owned ON c.screening_id = owned.id WHERE c.ordinal > :after ORDER BY c.ordinal LIMIT :read)
     UNION ALL
     (SELECT r.ordinal, r.kind, NULL, '', NULL, NULL, NULL, '{}', NULL, r.reason, r.own_cells
      FROM screening_rejects r JOIN owned ON r.screening_id = owned.id WHERE r.ordinal > :after ORDER BY r.ordinal LIMIT :read)
     ORDER BY ordinal LIMIT :read`,
    { keyId, id, after: after ?? 0, read: first + 1 },
  );
  return { items: rows.slice(0, first).map(toRow), hasMore: rows.length > first };
}

function toRow({ outcome, reason, country, checked_at, ...row }: AnyRow): PortfolioResult {
  return {
    row: row.ordinal,
    outcome,
    company: country && { country, taxId: row.tax_id },
    result: country && checked_at && toResult({ ...row, country, checked_at }),
    reason,
    ownCells: row.own_cells,
  };
}

interface GroupRow extends NumberedRow {
  readonly risk_level: RiskLevel | null;
  readonly completeness: Completeness | null;
  readonly answered: boolean;
  readonly companies: number;
}

/** Counts the results of screenings by level, completeness and outcome, without pending companies. */
export async function groupResults(db: Knex, queries: readonly Owned[]): Promise<readonly (readonly ResultGroup[])[]> {
  const { rows } = await db.raw(
    `SELECT query.n, c.risk_level, c.completeness, c.state = 'answered' AS answered, count(*)::int AS companies
     FROM ${ROW_QUERIES} JOIN screenings s ON s.id = query.id AND s.key_id = query."keyId"
       JOIN screening_companies c ON c.screening_id = s.id AND c.state <> 'pending'
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<GroupRow>(rows, queries.length).map((groups) =>
    groups.map(({ risk_level: riskLevel, completeness, answered, companies }) => ({ riskLevel, completeness, answered, companies })),
  );
}

interface RejectRow extends NumberedRow {
  readonly ordinal: number;
  readonly kind: RejectedRow['kind'];
  readonly reason: string;
  readonly own_cells: readonly string[] | null;
}

/** Reads rejected rows of screenings in the order of their portfolios. `after` is a row. */
export async function pageRejected(db: Knex, queries: readonly OwnedPageRequest<number>[]): Promise<readonly Page<StoredRejectedRow>[]> {
  const { rows } = await db.raw(
    `SELECT query.n, found.* FROM ${queryTable({ keyId: 'uuid', id: 'uuid', first: 'int', after: 'bigint' })}
       JOIN screenings s ON s.id = query.id AND s.key_id = query."keyId",
       LATERAL (SELECT r.ordinal, r.kind, r.reason, r.own_cells FROM screening_rejects r
         WHERE r.screening_id = s.id AND r.ordinal > coalesce(query.after, 0) ORDER BY r.ordinal LIMIT query.first + 1) AS found
     ORDER BY found.ordinal`,
    [JSON.stringify(queries)],
  );
  return toPages<RejectRow, StoredRejectedRow>(rows, queries, ({ ordinal: row, kind, reason, own_cells: ownCells }) => ({
    row,
    kind,
    reason,
    ownCells,
  }));
}
