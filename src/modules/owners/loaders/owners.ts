import { derive } from '../../../domain/answer.ts';
import { type CompanyKey, companyKeyText, requireCountry } from '../../../domain/company.ts';
import type { Offered } from '../../../loaders/loader.ts';
import { receitaTaxpayerLoader } from '../../../loaders/taxpayer.ts';
import type { ReceitaPartner } from '../../../sources/receita-federal/company.ts';
import type { Owner, Owners } from '../domain.ts';

/**
 * CompanyKey (BR) → Owners, read from the tax registry; null when it has no such company.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const ownersLoader: Offered<CompanyKey, Owners | null> = {
  name: 'owners',
  module: 'owners',
  key: companyKeyText,
  counts: (owners) => owners !== null,
  async answer(key, load) {
    requireCountry(key.country, ['BR'], 'Ownership');
    return derive(
      await load(receitaTaxpayerLoader, key),
      ({ source, record }) => record && { companyName: record.legalName, owners: record.partners.map(toOwner), source },
    );
  },
};

/** Roles that only a foreign legal person can have: partner (37), limited partner (57) and holder (79), domiciled abroad. */
const FOREIGN_COMPANY_ROLES: ReadonlySet<number> = new Set([37, 57, 79]);

function toOwner(partner: ReceitaPartner): Owner {
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
