import type { Knex } from 'knex';
import { groupByQuery, type NumberedRow, queryTable } from '../../../../db/paging.ts';
import type { AnsweringVersion } from './find.ts';
import { headOffice, NODE_COLUMNS, type StoredNode } from './holdings.ts';
import { preparedRead } from './prepared.ts';
import { isPartSql, isUnreadSql, lookupName, tableOf } from './tables.ts';

/** Request for the companies of which any of some companies is an owner or officer. */
export interface LevelQuery {
  /** Roots of the owners. */
  readonly roots: readonly string[];
  /** Maximum number of edges. */
  readonly limit: number;
}

/** An edge from an owner to a company, with the company. */
export interface StoredEdge extends StoredNode {
  /** Root of the owner. */
  readonly owner: string;
  readonly role: number | null;
  readonly roleName: string | null;
  readonly since: string | null;
}

/**
 * Returns the edges of every query, by one statement, at most `limit` of each. The statement ends when it has them, so that owners of many
 * companies cost no more.
 */
export async function findLevels(db: Knex, id: string, queries: readonly LevelQuery[]): Promise<readonly (readonly StoredEdge[])[]> {
  const { rows } = await preparedRead(
    db,
    `levels_${id}`,
    `SELECT query.n, x.owner, x.root, x.role, ${lookupName(id, 'role', 'x.role')} AS "roleName", x.since::text AS since, ${NODE_COLUMNS}
     FROM ${queryTable({ roots: 'text[]', limit: 'integer' })}
       CROSS JOIN LATERAL (SELECT k.root AS owner, p.root, p.role, p.since FROM unnest(query.roots) AS k(root)
         CROSS JOIN LATERAL (SELECT o.root, o.role, o.since FROM ${tableOf('partners', id)} o
           WHERE o.kind = 1 AND left(o.document, 8) = k.root COLLATE "C" ORDER BY o.root LIMIT query."limit") p
         LIMIT query."limit") x
       LEFT JOIN ${tableOf('companies', id)} c ON c.root = x.root
       ${headOffice(id, 'x.root')}
     ORDER BY query.n, x.owner COLLATE "C", x.root, x.role, x.since`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<NumberedRow & StoredEdge>(rows, queries.length);
}

/** A company of the version; `unread` if it has none, and cannot prove that the registry has none; null for an absence. */
export type FoundNode = StoredNode | 'unread' | null;

/** Returns the node of every root, by one statement. */
export async function findNodes(
  db: Knex,
  { id, hasUnattributed }: Pick<AnsweringVersion, 'id' | 'hasUnattributed'>,
  roots: readonly string[],
): Promise<readonly FoundNode[]> {
  const { rows } = await preparedRead(
    db,
    `nodes_${id}`,
    `SELECT k.root, c.root IS NOT NULL AS "isKnown", ${NODE_COLUMNS},
       ${isUnreadSql(id, 'k.root')} OR (c.root IS NULL AND ${isPartSql(id, 'k.root')}) AS "isUnread"
     FROM (SELECT DISTINCT root COLLATE "C" AS root FROM unnest((SELECT ?::text[])) AS t(root)) k
       LEFT JOIN ${tableOf('companies', id)} c ON c.root = k.root
       ${headOffice(id, 'k.root')}`,
    [[...roots]],
  );
  const byRoot = new Map((rows as readonly FoundRow[]).map((row) => [row.root, row]));
  return roots.map((root) => {
    const row = byRoot.get(root);
    if (row?.isKnown) return row;
    return row?.isUnread || hasUnattributed ? 'unread' : null;
  });
}

type FoundRow = StoredNode & { readonly isKnown: boolean; readonly isUnread: boolean };
