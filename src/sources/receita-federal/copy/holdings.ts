import type { Found } from '../../../domain/answer.ts';
import { type RegistryNode, roleText, toNode } from './nodes.ts';
import type { ReceitaCopy } from './reader.ts';
import { findHoldings, type HoldingPosition, type HoldingQuery, type StoredHolding } from './store/holdings.ts';

/** A company of which a company is an owner or officer. */
export interface RegistryHolding extends RegistryNode {
  readonly position: HoldingPosition;
  /** Role in the registry's term; empty if it states none. */
  readonly role: string;
  /** ISO date; null when the registry has none or an impossible one. */
  readonly since: string | null;
}

/** A page of holdings. */
export interface RegistryHoldings {
  readonly items: readonly RegistryHolding[];
  readonly hasMore: boolean;
  /** False if the copy has no company with this root. */
  readonly isKnown: boolean;
  /** True if the copy has no such company, and cannot prove that the registry has none. */
  readonly isUnread: boolean;
  /** Number of lines of partners that could not be read, so that a company may be missing. */
  readonly unreadPartners: number;
  /** True if the operator has erased records, so that a company may be missing. */
  readonly hasErased: boolean;
}

/** Returns a page for every query, by one statement. @throws AppError SOURCE_UNAVAILABLE */
export const readHoldings = (copy: ReceitaCopy, queries: readonly HoldingQuery[]): Promise<Found<readonly RegistryHoldings[]>> =>
  copy.read(async (db, { id, unreadPartners, hasUnattributed, ...version }) => {
    const pages = await findHoldings(db, id, queries);
    return pages.map(({ isKnown, rows, ...page }, i) => {
      const first = queries[i]?.first ?? 0;
      const isUnread = !isKnown && (page.isUnread || hasUnattributed);
      const hasErased = isPersonal(queries[i]) ? version.hasErased : version.hasErasedCompanies;
      const items = rows.slice(0, first).map(toHolding);
      return { items, hasMore: rows.length > first, isKnown, isUnread, unreadPartners, hasErased };
    });
  });

const isPersonal = (query: HoldingQuery | undefined): boolean => query !== undefined && 'document' in query.partner;

const toHolding = (row: StoredHolding): RegistryHolding => ({
  ...toNode(row),
  position: { root: row.root, role: row.role, since: row.since },
  role: roleText(row.role, row.roleName),
  since: row.since,
});
