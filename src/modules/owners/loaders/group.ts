import { type Answer, oldest } from '../../../domain/answer.ts';
import { type CompanyKey, companyKeyText, requireCountry } from '../../../domain/company.ts';
import { AppError, isSourceUnavailable } from '../../../domain/errors.ts';
import type { Load, Offered } from '../../../loaders/loader.ts';
import { type GapReason, type GroupDirection, mergedGraph, type OwnershipGraph } from '../domain/graph.ts';
import { loadChileanGraph } from './chile-graph.ts';
import { loadBelow, MAX_GROUP_NODES } from './downwards.ts';
import { GRAPH_COUNTRIES, ownershipGraphLoader } from './upwards.ts';

/** The company in the middle of the graph, the number of levels to follow, and their direction. */
export interface GroupKey {
  readonly company: CompanyKey;
  readonly depth: number;
  readonly direction: GroupDirection;
}

/**
 * GroupKey (BR, CL) → OwnershipGraph; null when the registry has no such company. UP is the ownership graph. BOTH follows edges up from the
 * company and down from it, and never sideways. If the companies below cannot be read, BOTH has those above and says so; DOWN fails.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE; DOWN: SOURCE_NOT_CONFIGURED on a service without an own copy of the registry
 */
export const groupLoader: Offered<GroupKey, OwnershipGraph | null> = {
  name: 'group',
  module: 'owners',
  key: ({ company, depth, direction }) => `${companyKeyText(company)}:${depth}:${direction}`,
  counts: (graph) => graph !== null,
  async answer({ company, depth, direction }, load) {
    if (requireCountry(company.country, GRAPH_COUNTRIES, 'The group of a company') === 'CL')
      return loadChileanGraph(company, depth, direction, load);
    if (direction === 'up') return load(ownershipGraphLoader, { company, depth });
    if (direction === 'down') return loadBelow(company, depth, MAX_GROUP_NODES, load);
    const up = await load(ownershipGraphLoader, { company, depth });
    const above = Math.max(0, (up.value?.nodes.length ?? 1) - 1);
    const down = await belowOrGap(company, depth, MAX_GROUP_NODES - above, load);
    if (typeof down === 'string') return { value: up.value && withGap(up.value, down), freshness: up.freshness };
    return { value: combined(up.value, down.value), freshness: oldest([up.freshness, down.freshness]) };
  },
};

/** A company that the mirrors have and the copy lacks is newer than the extract, so that the copy does not know what it owns. */
function combined(up: OwnershipGraph | null, down: OwnershipGraph | null): OwnershipGraph | null {
  if (!up) return down;
  return down ? mergedGraph(up, down) : withGap(up, 'copy_unavailable');
}

/** Loads the companies below a company, or returns the reason for which they cannot be read. */
async function belowOrGap(
  company: CompanyKey,
  depth: number,
  maxNodes: number,
  load: Load,
): Promise<Answer<OwnershipGraph | null> | GapReason> {
  try {
    return await loadBelow(company, depth, maxNodes, load);
  } catch (error) {
    if (error instanceof AppError && error.code === 'SOURCE_NOT_CONFIGURED') return 'no_copy';
    if (isSourceUnavailable(error)) return 'copy_unavailable';
    throw error;
  }
}

const withGap = (graph: OwnershipGraph, reason: GapReason): OwnershipGraph => ({
  ...graph,
  complete: false,
  notSeen: [...graph.notSeen, { reason, count: 0, companies: [] }],
});
