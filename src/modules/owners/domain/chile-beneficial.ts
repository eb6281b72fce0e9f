import { decimalText } from '../../../domain/text.ts';
import type { BeneficialOwner, BeneficialOwners } from './beneficial.ts';
import { Gaps, type OwnershipEdge, type OwnershipGraph, pathsTo } from './graph.ts';
import { declaredShare, type OwnershipShare } from './share.ts';

/** The natural persons of a company together, and whether all shares of the company are known. */
export interface CompanyPeople {
  /** Share of the natural persons; null if the company has none. */
  readonly people: { readonly share: string | null } | null;
  readonly isComplete: boolean;
}

/** The date of the file and the word for owners, which are the same for all owners. */
export interface DeclaredFacts {
  readonly asOf: string | null;
  readonly role: string;
}

/** Maximum number of paths whose shares are multiplied, because the number of paths grows with the power of the depth. */
const MAX_PATHS = 10_000;

/**
 * Computes the natural persons at the ends of the paths of owners of a Chilean company. Those of one company are one owner, whom the file
 * does not name. The share of an owner is the sum over all paths of the products of their shares; it is not known if one of them is not.
 * @param up companies above the company
 * @param peopleOf natural persons by bare RUT of each company that was read
 */
export function chileanBeneficialOwners(
  up: OwnershipGraph,
  peopleOf: ReadonlyMap<string, CompanyPeople>,
  { asOf, role }: DeclaredFacts,
): BeneficialOwners {
  const gaps = new Gaps();
  gaps.addAll(up.notSeen);
  const paths = pathsTo('owner', up);
  const contradictory = contradictoryOf(up, peopleOf);
  const { shares, circles, isCut } = sharesOf(up, contradictory);
  const owners: BeneficialOwner[] = [];
  for (const { taxId } of up.nodes) {
    const own = peopleOf.get(taxId);
    if (own && !own.isComplete) gaps.add('unknown_share', 1, [taxId]);
    if (!own?.people) continue;
    gaps.add('unnamed_people', 1, [taxId]);
    const isRequested = taxId === up.nodes[0]?.taxId;
    const ownShare = contradictory.has(taxId) && !isRequested ? null : own.people.share;
    const percent = isCut ? null : product(shares.get(taxId) ?? null, ownShare);
    const declared = declaredShare(percent, asOf);
    const isMultiplied = percent !== null && !isRequested;
    const share: OwnershipShare = isMultiplied ? { ...declared, basis: 'multiplied' } : declared;
    const facts = { name: '', identifier: null, role, roles: [role], entryDate: null, country: null, isAggregate: true };
    owners.push({ ...facts, registeredIn: taxId, path: paths.get(taxId) ?? [], share });
  }
  for (const taxId of circles) gaps.add('cycle', 1, [taxId]);
  if (isCut) gaps.add('node_limit', 1);
  return { owners, complete: gaps.isComplete, notSeen: gaps.list() };
}

/** Returns the companies whose declared shares add up to more than all of the capital. Nothing can be multiplied by such a share. */
function contradictoryOf({ nodes, edges }: OwnershipGraph, peopleOf: ReadonlyMap<string, CompanyPeople>): ReadonlySet<string> {
  const above = Map.groupBy(edges, ({ owned }) => owned);
  const sumOf = (taxId: string): number =>
    (above.get(taxId) ?? []).reduce((sum, { share }) => sum + Number(share?.percent ?? 0), Number(peopleOf.get(taxId)?.people?.share ?? 0));
  return new Set(nodes.flatMap(({ taxId }) => (sumOf(taxId) > MAX_ROUNDED ? [taxId] : [])));
}

interface Shares {
  /** Share in the requested company by bare RUT of each company above it, as a fraction; null if it is not known. */
  readonly shares: ReadonlyMap<string, number | null>;
  /** Companies at which a circle closes. */
  readonly circles: ReadonlySet<string>;
  /** True if there are more paths than are followed. */
  readonly isCut: boolean;
}

/**
 * Adds the products of the shares along all paths that visit no company twice. The share of a company is not known if it, or one on a path to
 * it, has more than all of the capital, because the shares along its paths contradict one another.
 */
function sharesOf({ nodes, edges }: OwnershipGraph, contradictory: ReadonlySet<string>): Shares {
  const root = nodes[0]?.taxId ?? '';
  const above = Map.groupBy(edges, ({ owned }) => owned);
  const shares = new Map<string, number | null>([[root, 1]]);
  const circles = new Set<string>();
  const paths: { readonly taxId: string; readonly share: number | null; readonly visited: ReadonlySet<string> }[] = [
    { taxId: root, share: 1, visited: new Set([root]) },
  ];
  // The loop also visits the paths that it adds.
  for (const path of paths) {
    for (const edge of above.get(path.taxId) ?? []) {
      if (path.visited.has(edge.owner)) {
        circles.add(edge.owner);
        continue;
      }
      const share = contradictory.has(path.taxId) ? null : times(path.share, fraction(edge));
      shares.set(edge.owner, shares.has(edge.owner) ? plus(shares.get(edge.owner) ?? null, share) : share);
      paths.push({ taxId: edge.owner, share, visited: new Set([...path.visited, edge.owner]) });
    }
    if (paths.length > MAX_PATHS) return { shares, circles, isCut: true };
  }
  const contradicted = [...shares].flatMap(([taxId, share]) => (share !== null && share * 100 > MAX_ROUNDED ? [taxId] : []));
  for (const { taxId, visited } of paths) if (contradicted.some((one) => visited.has(one))) shares.set(taxId, null);
  return { shares, circles, isCut: false };
}

const fraction = ({ share }: OwnershipEdge): number | null => (share?.percent == null ? null : Number(share.percent) / 100);

const times = (one: number | null, other: number | null): number | null => (one === null || other === null ? null : one * other);
const plus = (one: number | null, other: number | null): number | null => (one === null || other === null ? null : one + other);

/** Upper bound of shares that are 100 % after rounding. */
const MAX_ROUNDED = 100.5;

/** Returns the percentage of a fraction of a share. */
function product(fraction: number | null, percent: string | null): string | null {
  if (fraction === null || percent === null) return null;
  return fraction === 1 ? percent : decimalText(Math.min(fraction * Number(percent), 100));
}
