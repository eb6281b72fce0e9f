import { type Answer, type Freshness, oldest } from '../../../domain/answer.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { isSourceUnavailable } from '../../../domain/errors.ts';
import { compositionLoader, ownedLoader } from '../../../loaders/cl-ownership.ts';
import type { Load } from '../../../loaders/loader.ts';
import { siiRecordLoader } from '../../../loaders/taxpayer.ts';
import type { CompanyShare, Composition } from '../../../sources/cl-ownership/composition.ts';
import { Gaps, type GroupDirection, type GroupRelation, mergedGraph, type OwnershipEdge, type OwnershipGraph } from '../domain/graph.ts';
import { declaredShare } from '../domain/share.ts';
import { chileanKey, loadNames } from './chile-records.ts';
import { PARTNER_ROLE } from './declared.ts';

/** Size limits of a graph, upwards alone and in all. */
const MAX_UP_NODES = 200;
const MAX_NODES = 500;

/** A graph that grows level by level, by bare RUT. */
class GrowingGraph {
  /** Companies with their depth, nearest first. */
  readonly depths: Map<string, number>;
  readonly edges: OwnershipEdge[] = [];
  readonly gaps = new Gaps();
  readonly ages: Freshness[] = [];
  readonly #relation: GroupRelation;
  readonly #maxNodes: number;

  constructor(root: string, relation: GroupRelation, maxNodes: number) {
    this.depths = new Map([[root, 0]]);
    this.#relation = relation;
    this.#maxNodes = maxNodes;
  }

  /**
   * Adds edges of a level. Returns the new companies. Beyond the last level it adds edges between companies of the graph only.
   * @param end the end of an edge at which the graph grows
   */
  add(found: readonly OwnershipEdge[], end: 'owner' | 'owned', depth: number, isBeyond: boolean): readonly string[] {
    const fresh = [...new Set(found.map((edge) => edge[end]))].filter((taxId) => !this.depths.has(taxId));
    const room = isBeyond ? [] : fresh.slice(0, Math.max(0, this.#maxNodes - this.depths.size));
    const isNew = new Set(fresh);
    const reached = found.filter((edge) => isNew.has(edge[end])).map((edge) => edge[end === 'owner' ? 'owned' : 'owner']);
    if (isBeyond) this.gaps.add('depth', fresh.length, [...new Set(reached)]);
    else this.gaps.add('node_limit', fresh.length - room.length);
    for (const taxId of room) this.depths.set(taxId, depth);
    this.edges.push(...found.filter((edge) => this.depths.has(edge[end])));
    return room;
  }

  toGraph(names: ReadonlyMap<string, string | null>): OwnershipGraph {
    const nodes = [...this.depths].map(([taxId, depth]) => {
      return { taxId, name: names.get(taxId) ?? null, depth, relation: depth === 0 ? ('self' as const) : this.#relation };
    });
    return { nodes, edges: this.edges, complete: this.gaps.isComplete, notSeen: this.gaps.list() };
  }
}

/**
 * Loads the companies above and below a Chilean company, from the file of owners: one statement per level. Null for a company that neither
 * the file nor the registry has.
 * @throws AppError SOURCE_UNAVAILABLE
 */
export async function loadChileanGraph(
  { taxId }: CompanyKey,
  depth: number,
  direction: GroupDirection,
  load: Load,
): Promise<Answer<OwnershipGraph | null>> {
  const own = await load(compositionLoader, chileanKey(taxId));
  const up = direction === 'down' ? null : await growUp(taxId, depth, load);
  const room = MAX_NODES - (up ? up.depths.size - 1 : 0);
  const down = direction === 'up' ? null : await growDown(taxId, depth, room, load);
  const parts = [up, down].flatMap((one) => (one ? [one] : []));
  const { names, ages } = await loadNames(
    parts.flatMap(({ depths }) => [...depths.keys()]),
    load,
  );
  const isKnown = own.value.isListed || parts.some(({ edges }) => edges.length > 0) || names.get(taxId) != null;
  if (!isKnown) await load(siiRecordLoader, chileanKey(taxId)); // rethrows its failure: the company may exist
  const [first, second] = parts.map((part) => part.toGraph(names));
  const value = first && second ? mergedGraph(first, second) : (first ?? null);
  return { value: isKnown ? value : null, freshness: oldest([own.freshness, ...parts.flatMap((part) => part.ages), ...ages]) };
}

async function growUp(taxId: string, depth: number, load: Load): Promise<GrowingGraph> {
  const graph = new GrowingGraph(taxId, 'owner', MAX_UP_NODES);
  let level: readonly string[] = [taxId];
  for (let height = 1; level.length > 0; height += 1) {
    const answers = await Promise.all(level.map((one) => loadAbove(one, height, load)));
    const edges = answers.flatMap((answer, i) => {
      const owned = level[i] ?? '';
      if (answer === null) graph.gaps.add('source_unavailable', 1, [owned]);
      else {
        graph.ages.push(answer.freshness);
        addGaps(owned, answer.value, graph.gaps);
      }
      return answer ? edgesAbove(owned, answer) : [];
    });
    level = graph.add(edges, 'owner', height, height > depth);
  }
  return graph;
}

/** Loads the owners of a company; null if they cannot be read and the company is not the requested one, whose failure is thrown. */
async function loadAbove(taxId: string, height: number, load: Load): Promise<Answer<Composition> | null> {
  try {
    return await load(compositionLoader, chileanKey(taxId));
  } catch (error) {
    if (height === 1 || !isSourceUnavailable(error)) throw error;
    return null;
  }
}

const edgesAbove = (owned: string, { value, freshness }: Answer<Composition>): readonly OwnershipEdge[] =>
  value.companies.map((one) => toEdge(one.rut, owned, one, freshness));

const toEdge = (owner: string, owned: string, { share, text }: CompanyShare, { dataAsOf }: Freshness): OwnershipEdge => ({
  owner,
  owned,
  role: PARTNER_ROLE,
  since: null,
  share: declaredShare(share, dataAsOf, text),
});

function addGaps(taxId: string, { status }: Composition, gaps: Gaps): void {
  if (status === 'unread') gaps.add('unread_rows', 1, [taxId]);
  if (status === 'not_published') gaps.add('owners_not_filed', 1, [taxId]);
}

async function growDown(taxId: string, depth: number, maxNodes: number, load: Load): Promise<GrowingGraph> {
  const graph = new GrowingGraph(taxId, 'owned', maxNodes);
  let level: readonly string[] = [taxId];
  for (let height = 1; level.length > 0; height += 1) {
    const pages = await Promise.all(level.map((owner) => load(ownedLoader, { owner, first: maxNodes, after: null })));
    const edges = pages.flatMap(({ value, freshness }, i) => {
      const owner = level[i] ?? '';
      graph.ages.push(freshness);
      if (value.hasMore) graph.gaps.add('node_limit', 1, [owner]);
      return value.items.map((one) => toEdge(owner, one.rut, one, freshness));
    });
    if (height === 1) graph.gaps.add('unread_rows', pages[0]?.value.unread ?? 0);
    level = graph.add(edges, 'owned', height, height > depth);
  }
  return graph;
}
