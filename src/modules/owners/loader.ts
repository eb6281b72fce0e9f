import { createHash } from 'node:crypto';
import { derive } from '../../domain/answer.ts';
import type { CompanyKey } from '../../domain/company.ts';
import { sourceUnavailable } from '../../domain/errors.ts';
import { cnpjRoot } from '../../domain/tax-id.ts';
import { derivedFromTwo } from '../../loaders/derived-from.ts';
import { companyLoader, type Offered } from '../../loaders/loader.ts';
import { type AsOfKey, asOfKeyText, taxpayerAsOfLoader } from '../../loaders/registry-as-of.ts';
import { type ReceitaTaxpayer, receitaTaxpayerLoader } from '../../loaders/taxpayer.ts';
import { CNPJ_LENGTH, type ReceitaPartner } from '../../sources/receita-federal/company.ts';
import { firstCnpj } from '../../sources/receita-federal/copy/nodes.ts';
import type { Owner, Owners } from './domain.ts';

/**
 * CompanyKey (BR) → Owners, read from the tax registry; null when it has no such company. The owners of a branch without owners in a
 * mirror's record are those of its head office, whose record is read, too.
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

/**
 * Returns the head office of a branch without owners in its record; null for every other company, and for the own copy, whose records have
 * the owners of the legal person.
 */
function headOfficeOf({ record, mirror }: ReceitaTaxpayer, { taxId }: CompanyKey): CompanyKey | null {
  if (!record?.isBranch || record.partners?.length || mirror === 'registry_copy') return null;
  return { country: 'BR', taxId: firstCnpj(cnpjRoot(taxId)) };
}

/**
 * Returns the public id of an owner of a company, because owners have no complete id in the registry. It changes when the registry changes
 * name, role, id or date.
 */
export const ownerIdOf = (taxId: string, { name, role, identifier, entryDate }: Omit<Owner, 'entityType'>): string =>
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

/** Converts a partner. One with a CNPJ is a company, also if the registry calls it foreign or a person. */
export function toOwner(partner: ReceitaPartner): Owner {
  const isCompany =
    partner.kind === 'company' || partner.document?.length === CNPJ_LENGTH || (partner.kind === 'foreign' && isForeignCompany(partner));
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
