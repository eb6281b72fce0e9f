import type { ComplianceModule } from '../../../domain/catalogue.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { derivedFrom } from '../../../loaders/derived-from.ts';
import { companyLoader, type Offered } from '../../../loaders/loader.ts';
import { type AsOfKey, asOfKeyText } from '../../../loaders/registry-as-of.ts';
import { ruesLoader } from '../../../loaders/rues.ts';
import type { RuesFinding } from '../../../sources/rues/company.ts';
import type { AnyOwners } from '../domain/declared.ts';
import type { Officers, Owner } from '../domain.ts';
import { ownersAsOfLoader, ownersLoader } from '../loader.ts';
import { declaredOwnersAsOfLoader, declaredOwnersLoader } from './declared.ts';

const officersInRegister = derivedFrom<'CO', RuesFinding, Officers | null>(ruesLoader, toOfficers);

/**
 * CompanyKey → the owners of a Brazilian or Chilean company, or the officers of a Colombian one, whose partners nobody publishes; null when
 * the registry has no such company.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const ownersOrOfficersLoader = companyLoader<'BR' | 'CL' | 'CO', AnyOwners | null>({
  name: 'owners_or_officers',
  module: 'owners',
  countries: ['BR', 'CL', 'CO'],
  subject: 'Ownership',
  counts: (owners) => owners !== null,
  answer: ({ country, taxId }, load, time) => {
    if (country === 'CO') return officersInRegister({ country, taxId }, load, time);
    return country === 'CL' ? load(declaredOwnersLoader, { country, taxId }) : load(ownersLoader, { country, taxId });
  },
});

/** Countries whose owners are known as of earlier dates. */
export const OWNERS_AS_OF_COUNTRIES = ['BR', 'CL'] as const;

/** AsOfKey (BR, CL) → the owners of a company as of the date. @throws AppError of the loaders of the countries */
export const anyOwnersAsOfLoader: Offered<AsOfKey, AnyOwners | null> = {
  name: 'any_owners_as_of',
  module: 'owners',
  counts: (owners) => owners !== null,
  key: asOfKeyText,
  answer: (key, load) => (key.country === 'CL' ? load(declaredOwnersAsOfLoader, key) : load(ownersAsOfLoader, key)),
};

const knownOwnersLoader = (module: 'owners' | ComplianceModule): Offered<CompanyKey, AnyOwners | null> => ({
  ...ownersOrOfficersLoader,
  name: `${module}_known_owners`,
  module,
  included: true,
});

/** Loads owners for a key that has received them through the module. They are not counted again. */
export const knownOwnersLoaders = {
  owners: knownOwnersLoader('owners'),
  compliance_br: knownOwnersLoader('compliance_br'),
  compliance: knownOwnersLoader('compliance'),
};

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
