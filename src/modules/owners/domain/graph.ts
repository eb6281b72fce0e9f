import type { OwnershipShare } from './share.ts';

/** Place of a company in a graph, seen from the requested company. */
export const GROUP_RELATIONS = ['self', 'owner', 'owned'] as const;
export type GroupRelation = (typeof GROUP_RELATIONS)[number];

/** Directions in which the edges of a group are followed. */
export const GROUP_DIRECTIONS = ['both', 'up', 'down'] as const;
export type GroupDirection = (typeof GROUP_DIRECTIONS)[number];

/** A company of an ownership graph. `depth` counts the steps from the requested company (0). */
export interface OwnershipNode {
  readonly taxId: string;
  /** Name of the company; null if it was not looked up (beyond the depth, or because its source failed). */
  readonly name: string | null;
  readonly depth: number;
  readonly relation: GroupRelation;
}

/** An edge from an owner to a company, both by bare tax id. */
export interface OwnershipEdge {
  readonly owner: string;
  readonly owned: string;
  readonly role: string;
  /** ISO date of entry; null where the registry has none or an impossible one. */
  readonly since: string | null;
  /** Share of the owner; absent where the registry publishes none. */
  readonly share?: OwnershipShare;
}

/** Reasons for which a graph does not show companies that may belong to it, with their descriptions. */
export const GAP_REASONS = {
  depth: 'Owners or companies beyond the requested depth were not followed.',
  node_limit: 'The graph has its maximum number of companies.',
  foreign_owner: 'A foreign owner has no CNPJ, and its owners are in no Brazilian registry.',
  not_in_registry: 'The registry names an owner of which it has no record, or no CNPJ.',
  source_unavailable: 'The record of an owner could not be read.',
  no_copy: 'The service has no own copy of the registry, without which the companies that a company owns are not known.',
  copy_unavailable: 'The own copy of the registry could not be read, so the companies that a company owns are not known.',
  owners_not_filed: 'The registry has no owners of a company, or no name of one: it files officers only, as for a corporation, or nobody.',
  unread_rows: "Lines of the registry's files of partners could not be read.",
  erased_rows: 'The operator has erased companies from the own copy of the registry.',
  unnamed_people: 'Natural persons own a part of a company, and the registry names none of them (CL).',
  unknown_share: 'The shares of the owners of a company are not all known, or do not add up to 100 % (CL).',
  cycle: 'Companies own each other in a circle. Shares are followed once round it, so that they are too low (CL).',
} as const;
export type GapReason = keyof typeof GAP_REASONS;

/** Reasons for which a graph is not complete. A foreign owner is named in `notSeen`, too, and does not count. */
const COUNTED = (reason: GapReason): boolean => reason !== 'foreign_owner';

/** Reasons of which the number of companies, owners or lines is not known. */
const UNCOUNTED: ReadonlySet<GapReason> = new Set(['no_copy', 'copy_unavailable', 'erased_rows']);

/** A part of a graph that is not shown. */
export interface GraphGap {
  readonly reason: GapReason;
  /** Number of companies, owners or lines that the reason applies to; 0 if it is not known. */
  readonly count: number;
  /** Bare tax ids of companies at which the graph stops, at most 10. */
  readonly companies: readonly string[];
}

/** Companies that own a company or are owned by it, directly or through other companies. An edge that closes a cycle is included and not followed. */
export interface OwnershipGraph {
  readonly nodes: readonly OwnershipNode[];
  readonly edges: readonly OwnershipEdge[];
  /** False when the graph stops at the depth, the size limit or a failed source, or lacks a direction. */
  readonly complete: boolean;
  readonly notSeen: readonly GraphGap[];
}

const GAP_COMPANIES = 10;

/** Collects the gaps of a graph, one per reason. */
export class Gaps {
  readonly #gaps = new Map<GapReason, { count: number; readonly companies: Set<string> }>();

  /** @param companies bare tax ids of the companies at which the graph stops */
  add(reason: GapReason, count: number, companies: readonly string[] = []): void {
    if (count === 0 && companies.length === 0 && !UNCOUNTED.has(reason)) return;
    const gap = this.#gaps.get(reason) ?? { count: 0, companies: new Set<string>() };
    gap.count += count;
    for (const company of companies) if (gap.companies.size < GAP_COMPANIES) gap.companies.add(company);
    this.#gaps.set(reason, gap);
  }

  addAll(gaps: readonly GraphGap[]): void {
    for (const { reason, count, companies } of gaps) this.add(reason, count, companies);
  }

  /** Returns the gaps in the order of the reasons. */
  list(): readonly GraphGap[] {
    const reasons = Object.keys(GAP_REASONS) as GapReason[];
    return reasons.flatMap((reason) => {
      const gap = this.#gaps.get(reason);
      return gap ? [{ reason, count: gap.count, companies: [...gap.companies] }] : [];
    });
  }

  get isComplete(): boolean {
    return ![...this.#gaps.keys()].some(COUNTED);
  }
}

/** First eight characters of a CNPJ, or the digits of a RUT without the check digit, which identify the legal person. */
const rootOf = (taxId: string): string => taxId.slice(0, 8);

/**
 * Combines the graph above a company with the one below it. A company that occurs in both has one node, that of the shorter distance, and
 * one CNPJ.
 */
export function mergedGraph(up: OwnershipGraph, down: OwnershipGraph): OwnershipGraph {
  const nodes = new Map<string, OwnershipNode>();
  const all = [...up.nodes, ...down.nodes];
  for (const node of all.toSorted((one, other) => one.depth - other.depth))
    if (!nodes.has(rootOf(node.taxId))) nodes.set(rootOf(node.taxId), node);
  const taxIdOf = (taxId: string): string => nodes.get(rootOf(taxId))?.taxId ?? taxId;
  const edges = new Map<string, OwnershipEdge>();
  for (const { owner, owned, ...facts } of [...up.edges, ...down.edges]) {
    const edge = { owner: taxIdOf(owner), owned: taxIdOf(owned), ...facts };
    edges.set(JSON.stringify(edge), edge);
  }
  const gaps = new Gaps();
  gaps.addAll(up.notSeen);
  const isRepeated = ({ reason }: GraphGap): boolean => reason === 'unread_rows' && up.notSeen.some((one) => one.reason === reason);
  gaps.addAll(down.notSeen.filter((gap) => !isRepeated(gap))); // both directions read the same lines
  return { nodes: [...nodes.values()], edges: [...edges.values()], complete: up.complete && down.complete, notSeen: gaps.list() };
}

/**
 * Returns the edges from the requested company of a graph to every other company, by its CNPJ: upwards to owners, downwards to owned
 * companies. Each path is a shortest one.
 */
export function pathsOf(graph: OwnershipGraph): ReadonlyMap<string, readonly OwnershipEdge[]> {
  const paths = new Map(pathsTo('owner', graph));
  for (const [taxId, path] of pathsTo('owned', graph))
    if ((paths.get(taxId)?.length ?? Number.POSITIVE_INFINITY) > path.length) paths.set(taxId, path);
  return paths;
}

/** Returns the edges from the requested company to every company in one direction, by its CNPJ. Each path is a shortest one. */
export function pathsTo(end: 'owner' | 'owned', { nodes, edges }: OwnershipGraph): ReadonlyMap<string, readonly OwnershipEdge[]> {
  const self = nodes.find(({ depth }) => depth === 0);
  const paths = new Map<string, readonly OwnershipEdge[]>(self ? [[self.taxId, []]] : []);
  const edgesFrom = Map.groupBy(edges, (edge) => (end === 'owner' ? edge.owned : edge.owner));
  for (const [at, path] of paths)
    for (const edge of edgesFrom.get(at) ?? []) if (!paths.has(edge[end])) paths.set(edge[end], [...path, edge]); // a Map iterates over entries that are added
  return paths;
}
