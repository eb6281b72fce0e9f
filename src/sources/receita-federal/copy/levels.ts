import type { Found } from '../../../domain/answer.ts';
import { type RegistryNode, roleText, toNode } from './nodes.ts';
import type { ReceitaCopy } from './reader.ts';
import { type FoundNode, findLevels, findNodes, type LevelQuery, type StoredEdge } from './store/edges.ts';
import type { StoredNode } from './store/holdings.ts';

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
  /** True if the operator has erased companies, so that an edge may be missing. */
  readonly hasErased: boolean;
}

/** Returns a level for every query, by one statement. @throws AppError SOURCE_UNAVAILABLE */
export const readLevels = (copy: ReceitaCopy, queries: readonly LevelQuery[]): Promise<Found<readonly RegistryLevel[]>> =>
  copy.read(async (db, { id, unreadPartners, hasErasedCompanies: hasErased }) => {
    const levels = await findLevels(db, id, queries);
    return levels.map((rows, i) => ({
      edges: rows.map(toEdge),
      isCut: rows.length >= (queries[i]?.limit ?? 0),
      unreadPartners,
      hasErased,
    }));
  });

const toEdge = (row: StoredEdge): RegistryEdge => ({
  owner: row.owner,
  owned: row.root,
  company: toNode(row),
  role: roleText(row.role, row.roleName),
  since: row.since,
});

/** A company of the copy; `unread` if the copy cannot say whether the registry has it; null for an absence. */
export type RegistryNodeAnswer = RegistryNode | Exclude<FoundNode, StoredNode>;

/** Returns the company of every root, by one statement. @throws AppError SOURCE_UNAVAILABLE */
export const readNodes = (copy: ReceitaCopy, roots: readonly string[]): Promise<Found<readonly RegistryNodeAnswer[]>> =>
  copy.read(async (db, version) =>
    (await findNodes(db, version, roots)).map((found) => (found === null || found === 'unread' ? found : toNode(found))),
  );
