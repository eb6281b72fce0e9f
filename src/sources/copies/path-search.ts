/** A company or a person in a search. Equal keys are one node. */
export type NodeKey = string;

/** An edge between two nodes, which a path may follow in both directions. */
export interface Link {
  readonly owner: NodeKey;
  readonly owned: NodeKey;
}

/** Reasons for which a search ends before its limits of depth. */
export type StopReason = 'node_limit' | 'time';

/** Result of a search. */
export interface PathSearch<L extends Link> {
  readonly status: 'found' | 'none_within_limits' | 'stopped';
  /** Null unless the search was stopped. */
  readonly stoppedBy: StopReason | null;
  /** Edges in the order from the first node to the second one; empty unless a path was found. */
  readonly links: readonly L[];
  /** Keys of all nodes that were seen. */
  readonly seen: ReadonlySet<NodeKey>;
}

/** Limits of one search. */
export const PATH_LIMITS = { maxNodes: 20_000, maxMs: 1_000 } as const;

export interface SearchOptions<L extends Link> {
  readonly from: NodeKey;
  readonly to: NodeKey;
  /** Maximum number of edges of a path. */
  readonly maxDepth: number;
  readonly maxNodes: number;
  /**
   * Returns the edges of the nodes of a frontier, at most `limit`; null when the time of the search is over.
   */
  readonly linksOf: (nodes: readonly NodeKey[], limit: number) => Promise<FoundLinks<L> | null>;
}

/** The edges of a frontier. */
export interface FoundLinks<L extends Link> {
  readonly links: readonly L[];
  /** True if there may be more than the limit. */
  readonly isCut: boolean;
}

/** Edges that are read for each node that may still be seen, because several edges may lead to one node. */
const LINKS_PER_NODE = 2;

/** The nodes that are reached from one end. */
class Side<L extends Link> {
  /** Node → the edge and the node from which it was reached; null for the end itself. */
  readonly reached: Map<NodeKey, { readonly link: L; readonly before: NodeKey } | null>;
  frontier: readonly NodeKey[];
  /** Number of edges from the end to the frontier. */
  depth = 0;

  constructor(end: NodeKey) {
    this.reached = new Map([[end, null]]);
    this.frontier = [end];
  }

  /** Adds the nodes that the edges lead to. They become the frontier. */
  advance(links: readonly L[]): void {
    const frontier = new Set(this.frontier);
    const next: NodeKey[] = [];
    const add = (before: NodeKey, node: NodeKey, link: L): void => {
      if (!frontier.has(before) || this.reached.has(node)) return;
      this.reached.set(node, { link, before });
      next.push(node);
    };
    for (const link of links) {
      add(link.owner, link.owned, link);
      add(link.owned, link.owner, link);
    }
    this.frontier = next.toSorted();
    this.depth += 1;
  }

  /** Returns the edges from a node to the end. */
  trail(node: NodeKey): readonly L[] {
    const links: L[] = [];
    for (let step = this.reached.get(node); step; step = this.reached.get(step.before)) links.push(step.link);
    return links;
  }
}

/**
 * Searches a shortest path between two nodes from both ends, always from the one with the smaller frontier, a level at a time. It returns
 * the edges in the order from `from` to `to`.
 */
export async function searchPath<L extends Link>({ from, to, maxDepth, maxNodes, linksOf }: SearchOptions<L>): Promise<PathSearch<L>> {
  const [start, end] = [new Side<L>(from), new Side<L>(to)];
  const result = (found: Pick<PathSearch<L>, 'status'> & Partial<PathSearch<L>>): PathSearch<L> => ({
    stoppedBy: null,
    links: [],
    seen: new Set([...start.reached.keys(), ...end.reached.keys()]),
    ...found,
  });
  if (from === to) return result({ status: 'found' });
  while (start.depth + end.depth < maxDepth && start.frontier.length > 0 && end.frontier.length > 0) {
    const [side, other] = start.frontier.length <= end.frontier.length ? [start, end] : [end, start];
    const room = maxNodes - start.reached.size - end.reached.size;
    if (room <= 0) return result({ status: 'stopped', stoppedBy: 'node_limit' });
    const limit = LINKS_PER_NODE * maxNodes;
    const found = await linksOf(side.frontier, limit);
    if (found === null) return result({ status: 'stopped', stoppedBy: 'time' });
    side.advance(found.links);
    const met = side.frontier
      .filter((node) => other.reached.has(node))
      .map((node) => [...start.trail(node).toReversed(), ...end.trail(node)])
      .toSorted((one, two) => one.length - two.length)[0];
    if (met) return result({ status: 'found', links: met });
    if (found.isCut || start.reached.size + end.reached.size > maxNodes) return result({ status: 'stopped', stoppedBy: 'node_limit' });
  }
  return result({ status: 'none_within_limits' });
}
