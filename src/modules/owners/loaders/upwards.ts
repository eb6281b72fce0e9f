import { type Freshness, oldest } from '../../../domain/answer.ts';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import { cnpjRoot, isProblem, readCnpj } from '../../../domain/tax-id.ts';
import type { Load, Offered } from '../../../loaders/loader.ts';
import { Gaps, type OwnershipEdge, type OwnershipGraph, type OwnershipNode } from '../domain/graph.ts';
import type { Owner, Owners } from '../domain.ts';
import { ownersLoader } from '../loader.ts';
import { loadChileanGraph } from './chile-graph.ts';
import { headOffices } from './head-offices.ts';
import { unreadPartnersLoader } from './unread-partners.ts';

/** The company at the root of the graph, and the number of levels of owners to follow. */
export interface OwnershipGraphKey {
  readonly company: CompanyKey;
  readonly depth: number;
}

/** Size limit of a graph, so that one request cannot crawl the registry. A larger graph is truncated and not `complete`. */
const MAX_NODES = 200;

/** Countries whose companies have a graph. */
export const GRAPH_COUNTRIES = ['BR', 'CL'] as const;

/**
 * OwnershipGraphKey (BR, CL) → OwnershipGraph; null when the registry has no such company. Loads one level at a time, and each company once.
 * @throws AppError UNSUPPORTED_COUNTRY; SOURCE_UNAVAILABLE when the root company cannot be loaded (a failure further up makes the graph incomplete)
 */
export const ownershipGraphLoader: Offered<OwnershipGraphKey, OwnershipGraph | null> = {
  name: 'ownership_graph',
  module: 'owners',
  key: ({ company, depth }) => `${companyKeyText(company)}:${depth}`,
  counts: (graph) => graph !== null,
  async answer({ company, depth }, load) {
    if (company.country === 'CL') return loadChileanGraph(company, depth, 'up', load);
    const first = await load(ownersLoader, company);
    if (!first.value) return { value: null, freshness: first.freshness };
    const nodes = new Map<string, OwnershipNode>([
      [company.taxId, { taxId: company.taxId, name: first.value.companyName || null, depth: 0, relation: 'self' }],
    ]);
    const edges = new Map<string, OwnershipEdge>();
    /** CNPJ of the node of each legal person, by root: that of the head office, or that of the requested company. */
    const taxIds = new Map([[cnpjRoot(company.taxId), company.taxId]]);
    const ages: Freshness[] = [first.freshness];
    const gaps = new Gaps();
    let isFromCopy = false;
    let level: readonly LoadedOwners[] = [{ taxId: company.taxId, owners: first.value, freshness: first.freshness }];
    for (let height = 1; level.length > 0; height += 1) {
      for (const { taxId, owners } of level) addUnidentified(taxId, owners, gaps);
      isFromCopy ||= level.some(({ owners }) => owners.mirror === 'registry_copy');
      const named = level.flatMap(({ owners: { owners } }) => owners.flatMap((one) => cnpjOf(one) ?? []));
      const unknown = named.filter((cnpj) => !taxIds.has(cnpjRoot(cnpj)));
      const maxRead = height <= depth ? MAX_NODES - nodes.size : 0;
      for (const [root, cnpj] of await headOffices(unknown, maxRead, load)) taxIds.set(root, cnpj);
      const found = level.flatMap(({ taxId, owners }) => companyOwners(taxId, owners, taxIds));
      for (const edge of found) edges.set(JSON.stringify(edge), edge); // the registry repeats rows
      const fresh = [...new Set(found.map(({ owner }) => owner))].filter((owner) => !nodes.has(owner));
      const room = fresh.slice(0, MAX_NODES - nodes.size);
      gaps.add('node_limit', fresh.length - room.length);
      if (height > depth) gaps.add('depth', room.length, room);
      level = height > depth ? [] : await loadOwners(room, load, gaps);
      for (const taxId of room) {
        const name = level.find((one) => one.taxId === taxId)?.owners.companyName || null;
        nodes.set(taxId, { taxId, name, depth: height, relation: 'owner' });
      }
      ages.push(...level.map(({ freshness }) => freshness));
    }
    if (isFromCopy) gaps.add('unread_rows', (await load(unreadPartnersLoader, 'all')).value);
    const known = [...edges.values()].filter(({ owner }) => nodes.has(owner));
    const value = { nodes: [...nodes.values()], edges: known, complete: gaps.isComplete, notSeen: gaps.list() };
    return { value, freshness: oldest(ages) };
  },
};

/** Returns the CNPJ of an owner; null for a person, and for a company without a readable one. */
function cnpjOf({ entityType, identifier }: Owner): string | null {
  const cnpj = entityType === 'company' && identifier ? readCnpj(identifier) : null;
  return cnpj === null || isProblem(cnpj) ? null : cnpj;
}

/** Returns the edges from the owners of a company that have a CNPJ. @param taxIds CNPJ by root of each of them */
const companyOwners = (owned: string, { owners }: Owners, taxIds: ReadonlyMap<string, string>): OwnershipEdge[] =>
  owners.flatMap((one) => {
    const cnpj = cnpjOf(one);
    const owner = cnpj === null ? undefined : taxIds.get(cnpjRoot(cnpj));
    return owner === undefined ? [] : [{ owner, owned, role: one.role, since: one.entryDate }];
  });

/** Adds the owners that are companies without a CNPJ. A company of a foreign country has none; of another one the registry has lost it. */
function addUnidentified(taxId: string, { owners }: Owners, gaps: Gaps): void {
  const unidentified = owners.filter((one) => one.entityType === 'company' && cnpjOf(one) === null);
  const foreign = unidentified.filter(isAbroad).length;
  gaps.add('foreign_owner', foreign, foreign > 0 ? [taxId] : []);
  const others = unidentified.length - foreign;
  gaps.add('not_in_registry', others, others > 0 ? [taxId] : []);
}

/** True for an owner abroad. The tables of the registry do not name every country that its records have, and some records have none. */
const isAbroad = ({ country, role }: Owner): boolean => country !== null || /\bno exterior$/i.test(role);

interface LoadedOwners {
  readonly taxId: string;
  readonly owners: Owners;
  readonly freshness: Freshness;
}

/** Loads the owners of the companies. Leaves out companies that are not in the registry and failed loads, which are gaps. */
async function loadOwners(taxIds: readonly string[], load: Load, gaps: Gaps): Promise<LoadedOwners[]> {
  const answers = await Promise.allSettled(taxIds.map((taxId) => load(ownersLoader, { country: 'BR', taxId })));
  return answers.flatMap((answer, i) => {
    const taxId = taxIds[i] ?? '';
    if (answer.status === 'fulfilled' && answer.value.value)
      return [{ taxId, owners: answer.value.value, freshness: answer.value.freshness }];
    gaps.add(answer.status === 'rejected' ? 'source_unavailable' : 'not_in_registry', 1, [taxId]);
    return [];
  });
}
