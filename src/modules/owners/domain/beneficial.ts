import type { Owner } from '../domain.ts';
import { Gaps, type GraphGap, type OwnershipEdge, type OwnershipGraph, pathsTo } from './graph.ts';
import { NOT_FILED, type OwnershipShare } from './share.ts';

/** A natural person at the end of a path of owners, or all natural persons of a Chilean company together. */
export interface BeneficialOwner {
  /** Empty for an aggregate. */
  readonly name: string;
  /** True for all natural persons of a company together, of whom the registry names none. */
  readonly isAggregate: boolean;
  /** Masked CPF; null for most foreigners. */
  readonly identifier: string | null;
  /** Role of the first of the person's rows, and the roles of all of them, each once. */
  readonly role: string;
  readonly roles: readonly string[];
  /** ISO date of the first entry; null where the registry has none or an impossible one. */
  readonly entryDate: string | null;
  readonly country: string | null;
  /** The company that names the person or has the aggregate, by bare tax id. */
  readonly registeredIn: string;
  /** Edges from the requested company to the company that names the person; empty for a direct owner. */
  readonly path: readonly OwnershipEdge[];
  readonly share: OwnershipShare;
}

export interface BeneficialOwners {
  /** Nearest owners first. A person with a known share below the minimum is left out, one with an unknown share is not. */
  readonly owners: readonly BeneficialOwner[];
  /** False if a person may be missing. */
  readonly complete: boolean;
  readonly notSeen: readonly GraphGap[];
}

/** Matches the roles of partners in the registry's terms. Other roles are those of officers, who own nothing. */
const PARTNER = /^(?:s[óo]ci[oa]|titular|acionista|sociedade consorciada)/i;
const WITHOUT_CAPITAL = /sem capital/i;
/** Matches the role of a person whom the registry itself names as beneficial owner, and a role that it does not state. */
const POSSIBLE_OWNER = /^(?:benefici[áa]ri[oa] final|n[ãa]o informad[oa])?$/i;

/**
 * Matches the roles of stockholders, of whom the registry does not have all, and of partners who cannot be alone: limited and general partners
 * of a limited partnership, partners who give work or capital only, ostensible partners, and members of a consortium.
 */
const NEVER_ALONE = /acionista|comandit|ind[úu]stria|capitalista|ostensivo|participante|investidor|consorciada/i;

type WithRole = Pick<Owner, 'role'>;
const isPartner = ({ role }: WithRole): boolean => PARTNER.test(role) && !WITHOUT_CAPITAL.test(role);
/** True for a partner, and for an owner who may be one. */
const mayOwn = (one: WithRole): boolean => isPartner(one) || POSSIBLE_OWNER.test(one.role);

/** The rows of a partner: those of partners, and those of the other roles that the partner has in the company. */
interface Partner {
  readonly rows: readonly Owner[];
  readonly others: readonly Owner[];
}

/**
 * Returns the partners of a company, as far as its rows tell them apart. The rows of one person differ in the role: two people may have the
 * same name and visible digits, and then each row is one partner. So is a row without a name or without an id.
 */
function partnersOf(owners: readonly Owner[]): readonly Partner[] {
  const alike = Map.groupBy(owners, (one) => {
    const { name, identifier, entityType } = one;
    return name === '' || identifier === null ? one : JSON.stringify([name, identifier, entityType]);
  });
  return [...alike.values()].flatMap((all): readonly Partner[] => {
    const rows = all.filter(mayOwn);
    if (rows.length === 0) return [];
    const isOne = rows[0]?.entityType === 'company' || new Set(rows.map(({ role }) => role)).size === rows.length;
    return isOne ? [{ rows, others: all.filter((one) => !mayOwn(one)) }] : rows.map((row) => ({ rows: [row], others: [] }));
  });
}

/** True if a company has one partner, and nobody else who may own a part of it. */
function hasSolePartner(owners: readonly Owner[]): boolean {
  const [sole, ...more] = partnersOf(owners);
  return more.length === 0 && sole !== undefined && sole.rows.some(isPartner) && !sole.rows.some(({ role }) => NEVER_ALONE.test(role));
}

/** True if the registry does not say who owns a company: it has no partner, or a person without a name. */
const hasUnknownOwner = (owners: readonly Owner[]): boolean =>
  !owners.some(isPartner) || owners.some((one) => mayOwn(one) && one.entityType === 'individual' && one.name === '');

/**
 * Computes the natural persons at the ends of the paths of owners of a company. The owners of a company that is only an officer are left
 * out. No share is inferred if rows of partners could not be read.
 * @param up companies above the company
 * @param ownersOf owners by bare CNPJ of each company that was read
 * @param minShare percentage
 */
export function beneficialOwners(up: OwnershipGraph, ownersOf: ReadonlyMap<string, readonly Owner[]>, minShare: number): BeneficialOwners {
  const gaps = new Gaps();
  gaps.addAll(up.notSeen);
  const paths = pathsTo('owner', { ...up, edges: up.edges.filter(mayOwn) });
  const hasUnread = up.notSeen.some(({ reason }) => reason === 'unread_rows');
  const isSole = (taxId: string): boolean => !hasUnread && hasSolePartner(ownersOf.get(taxId) ?? []);
  const owners: BeneficialOwner[] = [];
  for (const { taxId } of up.nodes) {
    const all = ownersOf.get(taxId);
    const path = paths.get(taxId);
    if (!all || !path) continue; // it was not read, which the graph says, or owns no part of the company
    if (hasUnknownOwner(all)) gaps.add('owners_not_filed', 1, [taxId]);
    const isInferred = isSole(taxId) && path.every(({ owned }) => isSole(owned));
    const share: OwnershipShare = isInferred ? { ...NOT_FILED, percent: '100', basis: 'inferred_sole' } : NOT_FILED;
    for (const partner of partnersOf(all)) {
      if (partner.rows[0]?.entityType === 'individual') owners.push({ ...personOf(partner), registeredIn: taxId, path, share });
    }
  }
  return {
    owners: owners.filter(({ share: { percent } }) => percent === null || Number(percent) >= minShare),
    complete: gaps.isComplete && !gaps.list().some(({ reason }) => reason === 'foreign_owner'),
    notSeen: gaps.list(),
  };
}

type Person = Omit<BeneficialOwner, 'registeredIn' | 'path' | 'share'>;

function personOf({ rows, others }: Partner): Person {
  const { name = '', identifier = null, country = null } = rows[0] ?? {};
  const roles = [...new Set([...rows, ...others].map((row) => row.role))].filter((one) => one !== '');
  const [role = ''] = roles;
  const [entryDate = null] = rows.flatMap((row) => row.entryDate ?? []).toSorted();
  return { name, isAggregate: false, identifier, role, roles, entryDate, country };
}
