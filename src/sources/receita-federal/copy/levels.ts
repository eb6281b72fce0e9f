import type { Found } from '../../../domain/answer.ts';
import { type RegistryNode, roleText, toNode } from './nodes.ts';
import type { ReceitaCopy } from './reader.ts';
import { findLevels, findNodes, type LevelQuery, type StoredEdge } from './store/edges.ts';

/** An edge from an owner to a company, both by root, with the company. */
export interface RegistryEdge {
  readonly owner: string;
  readonly owned: string;
  readonly company: RegistryNode;
  readonly role: string;
  /** ISO date; null when the registry has none or an impossible one. */
  readonly since: string | null;
}

/** The edges of one level of a graph. */
export interface RegistryLevel {
  readonly edges: readonly RegistryEdge[];
  /** True if there may be more edges than the limit. */
  readonly isCut: boolean;
  /** Number of lines of partners that could not be read, so that an edge may be missing. */
  readonly unreadPartners: number;
}

/** Returns a level for every query, by one statement. @throws AppError SOURCE_UNAVAILABLE */
export const readLevels = (copy: ReceitaCopy, queries: readonly LevelQuery[]): Promise<Found<readonly RegistryLevel[]>> =>
  copy.read(async (db, { id, unreadPartners }) => {
    const levels = await findLevels(db, id, queries);
    return levels.map((rows, i) => ({ edges: rows.map(toEdge), isCut: rows.length >= (queries[i]?.limit ?? 0), unreadPartners }));
  });

const toEdge = (row: StoredEdge): RegistryEdge => ({
  owner: row.owner,
  owned: row.root,
  company: toNode(row),
  role: roleText(row.role, row.roleName),
  since: row.since,
});

/** Returns the company of every root, by one statement; null for one that the copy does not have. @throws AppError SOURCE_UNAVAILABLE */
export const readNodes = (copy: ReceitaCopy, roots: readonly string[]): Promise<Found<readonly (RegistryNode | null)[]>> =>
  copy.read(async (db, { id }) => (await findNodes(db, id, roots)).map((row) => row && toNode(row)));
