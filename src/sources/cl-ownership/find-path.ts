import { type NodeKey, searchPath } from '../copies/path-search.ts';
import type { OwnershipLink, OwnershipPath, OwnershipPathQuery } from './cl-ownership.ts';

/** Limits of one search. */
const MAX_NODES = 20_000;
const MAX_MS = 1_000;

/** The edges of companies, at most `limit`, and the number of rows that could not be read. */
export type LinksOf = (
  ruts: readonly string[],
  limit: number,
) => Promise<{ readonly links: readonly OwnershipLink[]; readonly unread: number }>;

/** Searches a shortest path. The search ends after 20,000 companies or a second. */
export async function findPath({ from, to, maxDepth }: OwnershipPathQuery, linksOf: LinksOf): Promise<OwnershipPath> {
  const startedAt = performance.now();
  let unread = 0;
  const search = await searchPath<OwnershipLink>({
    from,
    to,
    maxDepth,
    maxNodes: MAX_NODES,
    async linksOf(nodes: readonly NodeKey[], limit) {
      if (performance.now() - startedAt > MAX_MS) return null;
      const found = await linksOf(nodes, limit);
      unread = found.unread;
      return { links: found.links, isCut: found.links.length >= limit };
    },
  });
  return {
    status: search.status,
    stoppedBy: search.status === 'stopped' ? search.by : null,
    links: search.status === 'found' ? search.links : [],
    visited: search.seen.size,
    unread,
  };
}
