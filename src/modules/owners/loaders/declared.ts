import { type Answer, oldest } from '../../../domain/answer.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { sourceUnavailable } from '../../../domain/errors.ts';
import { formatRut } from '../../../domain/tax-id.ts';
import { compositionAsOfLoader, compositionLoader } from '../../../loaders/cl-ownership.ts';
import { derivedFromNamed } from '../../../loaders/derived-from.ts';
import { companyLoader, type Offered } from '../../../loaders/loader.ts';
import { type AsOfKey, asOfKeyText } from '../../../loaders/registry-as-of.ts';
import { siiRecordLoader } from '../../../loaders/taxpayer.ts';
import type { Composition } from '../../../sources/cl-ownership/composition.ts';
import type { DeclaredOwner, DeclaredOwners } from '../domain/declared.ts';
import { declaredShare } from '../domain/share.ts';
import { agesOf, type ChileanRecord, chileanKey, loadRecords, nameIn } from './chile-records.ts';

/**
 * CompanyKey (CL) → its owners as declared to the tax registry; null for a company that neither the file of owners nor the registry has. The
 * names of companies are those of the registry, and their RUT while the registry fails, because a missing name hides no owner.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const declaredOwnersLoader = companyLoader<'CL', DeclaredOwners | null>({
  name: 'declared_owners',
  module: 'owners',
  countries: ['CL'],
  subject: 'Ownership',
  counts: (owners) => owners !== null,
  answer: derivedFromNamed(
    compositionLoader,
    siiRecordLoader,
    ({ companies }, company: CompanyKey<'CL'>) => [company, ...companies.map(({ rut }) => chileanKey(rut))],
    toDeclaredOwners,
  ),
});

/**
 * AsOfKey (CL) → its owners in the last file up to the date; null as above. Names are those of today.
 * @throws AppError NO_RECORD_THEN before the first file that was loaded, SOURCE_UNAVAILABLE
 */
export const declaredOwnersAsOfLoader: Offered<AsOfKey, DeclaredOwners | null> = {
  name: 'declared_owners_as_of',
  module: 'owners',
  counts: (owners) => owners !== null,
  key: asOfKeyText,
  async answer(key, load) {
    const composition = await load(compositionAsOfLoader, key);
    const companies = composition.value.companies.map(({ rut }) => rut);
    return toDeclaredOwners(composition, await loadRecords([key.taxId, ...companies], load));
  },
};

/** Word of the file for all natural persons of a company together. */
export const DECLARED_PEOPLE = 'Personas naturales';
/** The file has no other word for owners. */
export const PARTNER_ROLE = 'Socio';
const NOTHING_ELSE = { role: PARTNER_ROLE, entryDate: null, country: null, legalRepName: null, legalRepRole: null } as const;

/**
 * Converts the composition of a company. Companies are the first owners, the largest share first; the natural persons are the last one.
 * @param records records of the company and of the owners that are companies, in their order
 * @throws AppError SOURCE_UNAVAILABLE for a company that the file does not have while the registry fails, because it may exist
 */
function toDeclaredOwners({ value, freshness }: Answer<Composition>, records: readonly ChileanRecord[]): Answer<DeclaredOwners | null> {
  const [own = null, ...partners] = records;
  if (!value.isListed && own === null)
    throw sourceUnavailable('sii', 'the file of owners does not have the company, and the registry fails');
  const isKnown = value.isListed || own?.value.company != null;
  return {
    value: isKnown ? ownersOf(value, nameIn(own), partners.map(nameIn), freshness.dataAsOf) : null,
    freshness: oldest([freshness, ...agesOf(records)]),
  };
}

/** @param names names of the owners that are companies, in their order @param asOf ISO date of the file */
function ownersOf(
  { status, companies, people, isComplete }: Composition,
  companyName: string | null,
  names: readonly (string | null)[],
  asOf: string | null,
): DeclaredOwners {
  const hasOwners = companies.length > 0 || people !== null;
  const ofCompanies = companies.map(({ rut, share, text }, i): DeclaredOwner => {
    const name = names[i] ?? formatRut(rut);
    return { ...NOTHING_ELSE, name, entityType: 'company', identifier: rut, share: declaredShare(share, asOf, text) };
  });
  const ofPeople = (people ? [people] : []).map(({ share, text }): DeclaredOwner => {
    return { ...NOTHING_ELSE, name: '', entityType: 'natural_persons', identifier: null, share: declaredShare(share, asOf, text) };
  });
  return {
    companyName: companyName ?? '',
    owners: [...ofCompanies, ...ofPeople],
    source: 'cl_ownership',
    mirror: null,
    composition: {
      status,
      naturalPersonsShare: people?.share ?? null,
      hasNaturalPersons: hasOwners ? people !== null : null,
      complete: hasOwners ? isComplete : null,
    },
  };
}
