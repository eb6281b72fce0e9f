import type { CompanyKey } from '../../../domain/company.ts';
import { derivedFrom } from '../../../loaders/derived-from.ts';
import { companyLoader, type Offered } from '../../../loaders/loader.ts';
import { ruesLoader } from '../../../loaders/rues.ts';
import type { RuesFinding } from '../../../sources/rues/company.ts';
import type { Officers, Owner, Owners } from '../domain.ts';
import { ownersLoader } from '../loader.ts';

const officersInRegister = derivedFrom<'CO', RuesFinding, Officers | null>(ruesLoader, toOfficers);

/**
 * CompanyKey (BR, CO) → the owners of a Brazilian company, or the officers of a Colombian one, whose partners nobody publishes; null when the
 * registry has no such company.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const ownersOrOfficersLoader = companyLoader<'BR' | 'CO', Owners | Officers | null>({
  name: 'owners_or_officers',
  module: 'owners',
  countries: ['BR', 'CO'],
  subject: 'Ownership',
  counts: (owners) => owners !== null,
  answer: ({ country, taxId }, load, time) =>
    country === 'CO' ? officersInRegister({ country, taxId }, load, time) : load(ownersLoader, { country, taxId }),
});

const knownOwnersLoader = (module: 'owners' | 'compliance_br'): Offered<CompanyKey, Owners | Officers | null> => ({
  ...ownersOrOfficersLoader,
  name: `${module}_known_owners`,
  module,
  included: true,
});

/** Loads owners for a key that has received them through the module. They are not counted again. */
export const knownOwnersLoaders = { owners: knownOwnersLoader('owners'), compliance_br: knownOwnersLoader('compliance_br') };

function toOfficers({ record }: RuesFinding): Officers | null {
  if (record === null) return null;
  const { name: companyName, representative } = record;
  return { companyName, owners: representative ? [toOfficer(representative)] : [], source: 'rues', mirror: null };
}

const toOfficer = ({ name, isCompany }: { readonly name: string; readonly isCompany: boolean }): Owner => ({
  name,
  role: 'Representante legal',
  entityType: isCompany ? 'company' : 'individual',
  identifier: null,
  entryDate: null,
  country: null,
  legalRepName: null,
  legalRepRole: null,
});
