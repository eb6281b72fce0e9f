import type { Knex } from 'knex';
import { groupByQuery, type NumberedRow, queryTable } from '../../../../db/paging.ts';
import { nameKey } from './namesakes.ts';
import { preparedRead } from './prepared.ts';
import { isPartSql, isUnreadSql, lookupName, tableOf } from './tables.ts';

/** Position in the list of the companies of a partner. */
export interface HoldingPosition {
  /** First eight characters of the CNPJ. */
  readonly root: string;
  readonly role: number | null;
  /** ISO date. */
  readonly since: string | null;
}

/** A partner: a company by its root, or a person by the masked CPF and the name. */
export type Partner = { readonly root: string } | { readonly document: string; readonly name: string };

/** Request for a page of the companies of a partner. */
export interface HoldingQuery {
  readonly partner: Partner;
  /** Root of a company that is left out; null for none. */
  readonly except: string | null;
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
  /** False if the version has no company with the root of the partner. True for a person. */
  readonly isKnown: boolean;
  /** True if a row of the partner's own company could not be read, or the version has a part of it only. */
  readonly isUnread: boolean;
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

/** SQL condition of the rows of the partner of a query, by kind of partner. */
const ROWS_OF = {
  company: `p.kind = 1 AND left(p.document, 8) = query.root COLLATE "C"`,
  person: `p.kind = 2 AND p.document = query.document COLLATE "C" AND ${nameKey('query.name')} <> '' AND ${nameKey('p.name')} = ${nameKey('query.name')}`,
} as const;

/**
 * Returns a page for every query, by one statement for each kind of partner. A company is matched by the root of its CNPJ, because the files
 * have roots and CNPJs in full. A person is matched by the masked CPF and the normalised name. Equal rows of a company are one.
 */
export async function findHoldings(db: Knex, id: string, queries: readonly HoldingQuery[]): Promise<readonly StoredHoldings[]> {
  const [companies, people] = [true, false].map((isCompany) => queries.filter(({ partner }) => 'root' in partner === isCompany));
  const found = new Map<HoldingQuery, StoredHoldings>();
  await Promise.all([findOf('company', companies ?? [], db, id, found), findOf('person', people ?? [], db, id, found)]);
  return queries.map((query) => found.get(query) ?? { isKnown: false, isUnread: false, rows: [] });
}

async function findOf(
  kind: keyof typeof ROWS_OF,
  queries: readonly HoldingQuery[],
  db: Knex,
  id: string,
  found: Map<HoldingQuery, StoredHoldings>,
): Promise<void> {
  if (queries.length === 0) return;
  const partner = { root: 'text', document: 'text', name: 'text', except: 'text' };
  const columns = { ...partner, first: 'integer', afterRoot: 'text', afterRole: 'integer', afterSince: 'date' };
  const { rows } = await preparedRead(
    db,
    `holdings_of_${kind}_${id}`,
    `SELECT query.n, query.root IS NULL OR EXISTS (SELECT FROM ${tableOf('companies', id)} k WHERE k.root = query.root COLLATE "C") AS "isKnown",
       ${isUnreadSql(id, 'query.root')} OR ${isPartSql(id, 'query.root')} AS "isUnread",
       h.root, h.role, ${lookupName(id, 'role', 'h.role')} AS "roleName", h.since::text AS since, ${NODE_COLUMNS}
     FROM ${queryTable(columns)}
       LEFT JOIN LATERAL (SELECT p.root, p.role, p.since FROM ${tableOf('partners', id)} p
         WHERE ${ROWS_OF[kind]} AND p.root >= query."afterRoot" COLLATE "C" AND p.root <> query.except COLLATE "C"
           AND (p.root, ${ROLE}, ${SINCE}) > (query."afterRoot" COLLATE "C", query."afterRole", query."afterSince")
         GROUP BY p.root, p.role, p.since ORDER BY p.root, ${ROLE}, ${SINCE} LIMIT query.first + 1) h ON true
       LEFT JOIN ${tableOf('companies', id)} c ON c.root = h.root
       ${headOffice(id, 'h.root')}
     ORDER BY query.n, h.root, ${ROLE.replace('role', 'h.role')}, ${SINCE.replace('since', 'h.since')}`,
    [
      JSON.stringify(
        queries.map(({ partner, except, first, after }) => ({ ...partner, except: except ?? '', first, ...positionOf(after) })),
      ),
    ],
  );
  const groups = groupByQuery<NumberedRow & StoredHolding & Omit<StoredHoldings, 'rows'>>(rows, queries.length);
  for (const [i, query] of queries.entries()) {
    const group = groups[i] ?? [];
    const { isKnown = false, isUnread = false } = group[0] ?? {};
    found.set(query, { isKnown, isUnread, rows: group.filter(({ root }) => root !== null) });
  }
}

const positionOf = (after: HoldingPosition | null) => ({
  afterRoot: after?.root ?? '',
  afterRole: after?.role ?? -1,
  afterSince: after?.since ?? '-infinity',
});
