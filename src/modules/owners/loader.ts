import { createHash } from 'node:crypto';
import { derive, type Freshness, oldest } from '../../domain/answer.ts';
import { type CompanyKey, companyKeyText } from '../../domain/company.ts';
import { sourceUnavailable } from '../../domain/errors.ts';
import { cnpjCheckDigits, cnpjRoot, isProblem, readCnpj } from '../../domain/tax-id.ts';
import { derivedFromTwo } from '../../loaders/derived-from.ts';
import { companyLoader, type Load, type Offered } from '../../loaders/loader.ts';
import { type AsOfKey, asOfKeyText, taxpayerAsOfLoader } from '../../loaders/registry-copy.ts';
import { type ReceitaTaxpayer, receitaTaxpayerLoader } from '../../loaders/taxpayer.ts';
import type { ReceitaPartner } from '../../sources/receita-federal/company.ts';
import type { Owner, Owners, OwnershipEdge, OwnershipGraph, OwnershipNode } from './domain.ts';

/**
 * CompanyKey (BR) → Owners, read from the tax registry; null when it has no such company. The owners of a branch without owners in its
 * record are those of its head office, whose record is read, too.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const ownersLoader = companyLoader<'BR', Owners | null>({
  name: 'owners',
  module: 'owners',
  countries: ['BR'],
  subject: 'Ownership',
  counts: (owners) => owners !== null,
  answer: derivedFromTwo(receitaTaxpayerLoader, headOfficeOf, (own, headOffice) =>
    headOffice ? ownersOfBranch(headOffice) : toOwners(own),
  ),
});

/** AsOfKey (BR) → Owners as of the date; null for a company that the registry did not have. @throws AppError of `taxpayerAsOfLoader` */
export const ownersAsOfLoader: Offered<AsOfKey, Owners | null> = {
  name: 'owners_as_of',
  module: 'owners',
  counts: (owners) => owners !== null,
  key: asOfKeyText,
  answer: async (key, load) => derive(await load(taxpayerAsOfLoader, key), toOwners),
};

/** Order number of the first establishment of a legal person. */
const HEAD_OFFICE = '0001';

/** Returns the head office of a branch without owners in its record; null for every other company. */
function headOfficeOf({ record }: ReceitaTaxpayer, { taxId }: CompanyKey): CompanyKey | null {
  if (!record?.isBranch || record.partners?.length) return null;
  const root = cnpjRoot(taxId) + HEAD_OFFICE;
  return { country: 'BR', taxId: root + cnpjCheckDigits(root) };
}

const knownOwnersLoader = (module: 'owners' | 'compliance_br'): Offered<CompanyKey, Owners | null> => ({
  ...ownersLoader,
  name: `${module}_known_owners`,
  module,
  included: true,
});

/** Loads owners for a key that has received them through the module. They are not counted again. */
export const knownOwnersLoaders = { owners: knownOwnersLoader('owners'), compliance_br: knownOwnersLoader('compliance_br') };

/**
 * Returns the public id of an owner of a company, because owners have no complete id in the registry. It changes when the registry changes
 * name, role, id or date.
 */
export const ownerIdOf = (taxId: string, { name, role, identifier, entryDate }: Owner): string =>
  `${taxId}:${createHash('sha256')
    .update(JSON.stringify([name, role, identifier, entryDate]))
    .digest('base64url')
    .slice(0, 16)}`;

function toOwners({ source, record, mirror }: ReceitaTaxpayer): Owners | null {
  if (record === null) return null;
  if (record.partners === null) throw sourceUnavailable(source, 'the record has no partners, and no other mirror confirms it');
  return { companyName: record.legalName, owners: record.partners.map(toOwner), source, mirror };
}

/** Returns the owners of the head office. Another establishment may have become the head office, which the registry does not name. */
function ownersOfBranch(headOffice: ReceitaTaxpayer): Owners | null {
  const { source, record } = headOffice;
  if (!record || record.isBranch) throw sourceUnavailable(source, 'the head office of the branch is not known');
  return toOwners(headOffice);
}

/** Codes of roles that only a foreign legal person has: partner (37), limited partner (57) and holder (79), domiciled abroad. */
const FOREIGN_COMPANY_ROLES: ReadonlySet<number> = new Set([37, 57, 79]);

export function toOwner(partner: ReceitaPartner): Owner {
  const isCompany = partner.kind === 'company' || (partner.kind === 'foreign' && isForeignCompany(partner));
  return {
    name: partner.name,
    role: partner.role,
    entityType: isCompany ? 'company' : 'individual',
    identifier: partner.document,
    entryDate: partner.entryDate,
    country: partner.country,
    legalRepName: isCompany ? partner.legalRepName : null,
    legalRepRole: isCompany ? partner.legalRepRole : null,
  };
}

const isForeignCompany = ({ roleCode, role }: ReceitaPartner): boolean =>
  roleCode === null ? /jur[ií]dica|\bPJ\b/i.test(role) : FOREIGN_COMPANY_ROLES.has(roleCode);

/** The company at the root of the graph, and the number of levels of owners to follow. */
export interface OwnershipGraphKey {
  readonly company: CompanyKey;
  readonly depth: number;
}

/** Size limit of a graph, so that one request cannot crawl the registry. A larger graph is truncated and not `complete`. */
const MAX_NODES = 200;

/**
 * OwnershipGraphKey (BR) → OwnershipGraph; null when the registry has no such company. Loads one level at a time, and each company once.
 * @throws AppError UNSUPPORTED_COUNTRY; SOURCE_UNAVAILABLE when the root company cannot be loaded (a failure further up makes the graph incomplete)
 */
export const ownershipGraphLoader: Offered<OwnershipGraphKey, OwnershipGraph | null> = {
  name: 'ownership_graph',
  module: 'owners',
  key: ({ company, depth }) => `${companyKeyText(company)}:${depth}`,
  counts: (graph) => graph !== null,
  async answer({ company, depth }, load) {
    const first = await load(ownersLoader, company);
    if (!first.value) return { value: null, freshness: first.freshness };
    const nodes = new Map<string, OwnershipNode>([
      [company.taxId, { taxId: company.taxId, name: first.value.companyName || null, depth: 0 }],
    ]);
    const edges: OwnershipEdge[] = [];
    const ages: Freshness[] = [first.freshness];
    let complete = true;
    let level: readonly LoadedOwners[] = [{ taxId: company.taxId, owners: first.value, freshness: first.freshness }];
    for (let height = 1; level.length > 0; height += 1) {
      const found = level.flatMap(({ taxId, owners }) => companyOwners(taxId, owners));
      edges.push(...found);
      const fresh = [...new Set(found.map(({ owner }) => owner))].filter((owner) => !nodes.has(owner));
      const room = fresh.slice(0, MAX_NODES - nodes.size);
      level = height > depth ? [] : await loadOwners(room, load);
      if (level.length < fresh.length) complete = false;
      for (const taxId of room) {
        const name = level.find((one) => one.taxId === taxId)?.owners.companyName || null;
        nodes.set(taxId, { taxId, name, depth: height });
      }
      ages.push(...level.map(({ freshness }) => freshness));
    }
    const known = edges.filter(({ owner }) => nodes.has(owner));
    return { value: { nodes: [...nodes.values()], edges: known, complete }, freshness: oldest(ages) };
  },
};

function companyOwners(owned: string, { owners }: Owners): OwnershipEdge[] {
  return owners.flatMap(({ entityType, identifier, role }) => {
    const owner = entityType === 'company' && identifier ? readCnpj(identifier) : null;
    return owner === null || isProblem(owner) ? [] : [{ owner, owned, role }];
  });
}

interface LoadedOwners {
  readonly taxId: string;
  readonly owners: Owners;
  readonly freshness: Freshness;
}

/** Loads the owners of the companies. Leaves out companies that are not in the registry and failed loads. */
async function loadOwners(taxIds: readonly string[], load: Load): Promise<LoadedOwners[]> {
  const answers = await Promise.allSettled(taxIds.map((taxId) => load(ownersLoader, { country: 'BR', taxId })));
  return answers.flatMap((answer, i) => {
    const owners = answer.status === 'fulfilled' ? answer.value.value : null;
    return answer.status === 'fulfilled' && owners ? [{ taxId: taxIds[i] ?? '', owners, freshness: answer.value.freshness }] : [];
  });
}
