import { type NodeKey, PATH_LIMITS, searchPath } from '../copies/path-search.ts';
import type { OwnershipLink, OwnershipPath, OwnershipPathQuery } from './cl-ownership.ts';

/** The edges of companies, at most `limit`, and the number of rows that could not be read. */
export type LinksOf = (
  ruts: readonly string[],
  limit: number,
) => Promise<{ readonly links: readonly OwnershipLink[]; readonly unread: number }>;

/** Searches a shortest path. The search ends after 20,000 companies or a second. */
export async function findPath({ from, to, maxDepth }: OwnershipPathQuery, linksOf: LinksOf): Promise<OwnershipPath> {
  const startedAt = performance.now();
  let unread = 0;
  const { seen, ...search } = await searchPath<OwnershipLink>({
    from,
    to,
    maxDepth,
    maxNodes: PATH_LIMITS.maxNodes,
    async linksOf(nodes: readonly NodeKey[], limit) {
      if (performance.now() - startedAt > PATH_LIMITS.maxMs) return null;
      const found = await linksOf(nodes, limit);
      unread = found.unread;
      return { links: found.links, isCut: found.links.length >= limit };
    },
  });
  return { ...search, visited: seen.size, unread };
}
