import type { Knex } from 'knex';
import { groupByQuery, type NumberedRow, queryTable } from '../../../../db/paging.ts';
import { lookupName, tableOf } from './tables.ts';

/** Position in the list of the companies of a partner. */
export interface HoldingPosition {
  /** First eight characters of the CNPJ. */
  readonly root: string;
  readonly role: number | null;
  /** ISO date. */
  readonly since: string | null;
}

/** Request for a page of the companies of which a company is a partner. */
export interface HoldingQuery {
  /** Root of the partner. */
  readonly root: string;
  readonly first: number;
  readonly after: HoldingPosition | null;
}

/** A company as stored: the part of its record that lists and graphs show. */
export interface StoredNode {
  readonly root: string;
  /** Null if the company's row is missing, or has no name. */
  readonly name: string | null;
  readonly nature: number | null;
  /** Bare CNPJ and status of the head office; null if the files have none. */
  readonly cnpj: string | null;
  readonly status: number | null;
}

/** A company of which the partner is an owner or officer. */
export interface StoredHolding extends StoredNode {
  readonly role: number | null;
  readonly roleName: string | null;
  readonly since: string | null;
}

/** Rows of a page, one more than requested if there are more. */
export interface StoredHoldings {
  /** False if the version has no company with the root of the partner. */
  readonly isKnown: boolean;
  readonly rows: readonly StoredHolding[];
}

const ROLE = 'coalesce(role, -1)';
const SINCE = `coalesce(since, '-infinity')`;

/** Returns the SQL columns of a node. `c` is a row of the companies, `e` one of `headOffice`. */
export const NODE_COLUMNS = 'c.name, c.nature, e.cnpj, e.status';

/** Returns the SQL join that adds the row `e` of the head office of a root. */
export const headOffice = (id: string, root: string): string =>
  `LEFT JOIN LATERAL (SELECT o.root || o.branch || o.digits AS cnpj, o.status FROM ${tableOf('establishments', id)} o
     WHERE o.root = ${root} AND o.is_head ORDER BY o.branch LIMIT 1) e ON true`;

/**
 * Returns a page for every query, by one statement. A partner is matched by the root of its CNPJ, because the files have roots and CNPJs in
 * full. Equal rows of a company are one.
 */
export async function findHoldings(db: Knex, id: string, queries: readonly HoldingQuery[]): Promise<readonly StoredHoldings[]> {
  const columns = { root: 'text', first: 'integer', afterRoot: 'text', afterRole: 'integer', afterSince: 'date' };
  const { rows } = await db.raw(
    `SELECT query.n, EXISTS (SELECT FROM ${tableOf('companies', id)} k WHERE k.root = query.root COLLATE "C") AS "isKnown",
       h.root, h.role, ${lookupName(id, 'role', 'h.role')} AS "roleName", h.since::text AS since, ${NODE_COLUMNS}
     FROM ${queryTable(columns)}
       LEFT JOIN LATERAL (SELECT p.root, p.role, p.since FROM ${tableOf('partners', id)} p
         WHERE p.kind = 1 AND left(p.document, 8) = query.root COLLATE "C" AND p.root >= query."afterRoot" COLLATE "C"
           AND (p.root, ${ROLE}, ${SINCE}) > (query."afterRoot" COLLATE "C", query."afterRole", query."afterSince")
         GROUP BY p.root, p.role, p.since ORDER BY p.root, ${ROLE}, ${SINCE} LIMIT query.first + 1) h ON true
       LEFT JOIN ${tableOf('companies', id)} c ON c.root = h.root
       ${headOffice(id, 'h.root')}
     ORDER BY query.n, h.root, ${ROLE.replace('role', 'h.role')}, ${SINCE.replace('since', 'h.since')}`,
    [JSON.stringify(queries.map(({ root, first, after }) => ({ root, first, ...positionOf(after) })))],
  );
  return groupByQuery<NumberedRow & StoredHolding & { readonly isKnown: boolean }>(rows, queries.length).map((group) => ({
    isKnown: group[0]?.isKnown ?? false,
    rows: group.filter(({ root }) => root !== null),
  }));
}

const positionOf = (after: HoldingPosition | null) => ({
  afterRoot: after?.root ?? '',
  afterRole: after?.role ?? -1,
  afterSince: after?.since ?? '-infinity',
});
