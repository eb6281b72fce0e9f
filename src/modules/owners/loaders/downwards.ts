import { type Answer, type Freshness, oldest } from '../../../domain/answer.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import type { FetchingLoader, Load } from '../../../loaders/loader.ts';
import { brazilianRoot, copyLoader, unreadCompany } from '../../../loaders/registry-copy.ts';
import { type RegistryLevel, readLevels } from '../../../sources/receita-federal/copy/levels.ts';
import type { LevelQuery } from '../../../sources/receita-federal/copy/store/edges.ts';
import { Gaps, type OwnershipEdge, type OwnershipGraph, type OwnershipNode } from '../domain/graph.ts';
import { registryNodeLoader } from './registry-node.ts';

/** Size limit of a graph that has companies below the requested one. */
export const MAX_GROUP_NODES = 500;
/** Maximum number of edges of one level. Several edges may lead to one company, as an owner may have several roles. */
const MAX_LEVEL_EDGES = 2_000;
/** Edges that are read below the last level, to see if the graph goes on there. */
const EDGES_BEYOND = 100;

const levelLoader: FetchingLoader<LevelQuery, RegistryLevel> = copyLoader({
  name: 'receita_levels',
  key: ({ roots, limit }) => [limit, ...roots].join(' '),
  read: readLevels,
});

/** State of a graph that grows level by level. */
interface Growing {
  /** CNPJ by root. */
  readonly taxIds: Map<string, string>;
  readonly nodes: OwnershipNode[];
  readonly edges: Map<string, OwnershipEdge>;
  readonly gaps: Gaps;
  readonly ages: Freshness[];
  readonly maxNodes: number;
}

/**
 * Loads the companies that a company owns, directly or through other companies, from the own copy of the registry: one statement per level.
 * Null for a company that the registry does not have and that owns nothing.
 * @param maxNodes maximum number of companies, at least 1
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_NOT_CONFIGURED, SOURCE_UNAVAILABLE
 */
export async function loadBelow(company: CompanyKey, depth: number, maxNodes: number, load: Load): Promise<Answer<OwnershipGraph | null>> {
  const root = brazilianRoot(company, 'The group of a company');
  const own = await load(registryNodeLoader, root);
  if (own.value === 'unread') throw unreadCompany();
  const { taxId } = company;
  const graph: Growing = {
    taxIds: new Map([[root, taxId]]),
    nodes: [{ taxId, name: own.value?.name ?? null, depth: 0, relation: 'self' }],
    edges: new Map(),
    gaps: new Gaps(),
    ages: [own.freshness],
    maxNodes,
  };
  let level: readonly string[] = [root];
  for (let height = 1; level.length > 0 && height <= depth; height += 1) level = await grow(graph, level, height, load);
  if (level.length > 0) await lookBeyond(graph, level, load);
  const { nodes, edges, gaps, ages } = graph;
  const isUnknown = own.value === null && edges.size === 0;
  const value = { nodes, edges: [...edges.values()], complete: gaps.isComplete, notSeen: gaps.list() };
  return { value: isUnknown ? null : value, freshness: oldest(ages) };
}

/** Adds the companies of one level. Returns the roots of those that are new. */
async function grow({ taxIds, nodes, edges, gaps, ages, maxNodes }: Growing, level: readonly string[], depth: number, load: Load) {
  const { value, freshness } = await load(levelLoader, { roots: level, limit: MAX_LEVEL_EDGES });
  ages.push(freshness);
  if (depth === 1) gaps.add('unread_rows', value.unreadPartners);
  if (depth === 1 && value.hasErased) gaps.add('erased_rows', 0);
  if (value.isCut) gaps.add('node_limit', 1, [taxIds.get(level.at(-1) ?? '') ?? '']);
  const fresh: string[] = [];
  const left = new Set<string>();
  for (const { owner, owned, company, role, since } of value.edges) {
    if (!taxIds.has(owned) && nodes.length >= maxNodes) {
      left.add(owned);
      continue;
    }
    if (!taxIds.has(owned)) {
      taxIds.set(owned, company.cnpj);
      nodes.push({ taxId: company.cnpj, name: company.name, depth, relation: 'owned' });
      fresh.push(owned);
    }
    const edge = { owner: taxIds.get(owner) ?? '', owned: taxIds.get(owned) ?? '', role, since };
    edges.set(JSON.stringify(edge), edge);
  }
  gaps.add('node_limit', left.size);
  return fresh.toSorted();
}

/** Finds out if companies of the last level own others, which the graph does not show. */
async function lookBeyond({ taxIds, edges, gaps, ages }: Growing, level: readonly string[], load: Load): Promise<void> {
  const { value, freshness } = await load(levelLoader, { roots: level, limit: EDGES_BEYOND });
  ages.push(freshness);
  const beyond = new Map<string, string>();
  for (const { owner, owned, role, since } of value.edges) {
    const [from, to] = [taxIds.get(owner) ?? '', taxIds.get(owned)];
    if (to === undefined) beyond.set(owned, from);
    else edges.set(JSON.stringify([from, to, role, since]), { owner: from, owned: to, role, since });
  }
  gaps.add('depth', beyond.size, [...new Set(beyond.values())]);
  if (value.isCut && beyond.size === 0) gaps.add('depth', 1);
}
