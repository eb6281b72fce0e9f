import { derive } from '../../domain/answer.ts';
import { COUNTRIES, type CompanyKey, type Country } from '../../domain/company.ts';
import { yearOf } from '../../domain/time.ts';
import { derivedFrom } from '../../loaders/derived-from.ts';
import { domainOwnerLoader, requireOwner } from '../../loaders/domain-owner.ts';
import { companyLoader, type Offered } from '../../loaders/loader.ts';
import { ruesLoader } from '../../loaders/rues.ts';
import { foundedOn, statusOf, type Taxpayer, taxpayerLoader } from '../../loaders/taxpayer.ts';
import type { DomainKey } from '../../sources/domains/domain.ts';
import type { DomainOwner } from '../../sources/domains/owner.ts';
import type { ReceitaCompany } from '../../sources/receita-federal/company.ts';
import type { RuesCompany, RuesFinding } from '../../sources/rues/company.ts';
import type { SiiCompany } from '../../sources/sii/sii.ts';
import { type CompanyProfile, employeesRange, sizeOfBracket, sizeOfPorte, type TaxProfile } from './domain.ts';

/**
 * CompanyKey (BR, CL) → TaxProfile, read from the tax registry; null for a company that it does not have.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const taxProfileLoader = companyLoader<'BR' | 'CL', TaxProfile | null>({
  name: 'profile',
  module: 'enrich',
  countries: ['BR', 'CL'],
  subject: 'A company profile',
  counts: (profile) => profile !== null,
  answer: derivedFrom(taxpayerLoader, toProfile),
});

const profileInRegister = derivedFrom<'CO', RuesFinding, CompanyProfile | null>(ruesLoader, ({ record }) => record && fromRues(record));

/**
 * CompanyKey (BR, CL, CO) → CompanyProfile, read from the tax registry (CO: from the commercial register); null for a company that it does
 * not have.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const profileLoader = companyLoader<Country, CompanyProfile | null>({
  name: 'profile_of_any_country',
  module: 'enrich',
  countries: COUNTRIES,
  subject: 'A company profile',
  counts: (profile) => profile !== null,
  answer: ({ country, taxId }, load, time) =>
    country === 'CO' ? profileInRegister({ country, taxId }, load, time) : load(taxProfileLoader, { country, taxId }),
});

/** DomainKey → the owner of a domain, offered to API callers. @throws AppError SOURCE_UNAVAILABLE, INVALID_INPUT */
export const ownerLoader: Offered<DomainKey, DomainOwner> = {
  name: 'owner_of_domain',
  module: 'enrich',
  key: domainOwnerLoader.key,
  answer: (key, load) => load(domainOwnerLoader, key),
};

/** A profile found by domain. */
export interface ProfileOfDomain {
  readonly company: CompanyKey;
  /** Profile of the company; null if its registry does not have it. */
  readonly profile: TaxProfile | null;
}

/**
 * DomainKey → the profile of the company that owns the domain; one load and one usage record for both steps.
 * @throws AppError DOMAIN_NOT_RESOLVED, SOURCE_UNAVAILABLE, INVALID_INPUT
 */
export const profileOfDomainLoader: Offered<DomainKey, ProfileOfDomain> = {
  name: 'profile_of_domain',
  module: 'enrich',
  key: domainOwnerLoader.key,
  counts: ({ profile }) => profile !== null,
  async answer(key, load) {
    const company = requireOwner((await load(domainOwnerLoader, key)).value);
    return derive(await load(taxProfileLoader, company), (profile) => ({ company, profile }));
  },
};

function toProfile(taxpayer: Taxpayer): TaxProfile | null {
  const { source, record } = taxpayer;
  if (record === null) return null;
  return {
    ...(source === 'sii' ? fromSii(record) : fromReceita(record)),
    foundedYear: yearOf(foundedOn(taxpayer)),
    status: statusOf(taxpayer) === 'active' ? 'active' : 'inactive',
    country: source === 'sii' ? 'CL' : 'BR',
    source,
  };
}

const fromRues = ({ name, activities, chamber, foundedOn, status }: RuesCompany): CompanyProfile => ({
  companyName: name,
  activity: null,
  activityCode: activities[0] ?? null,
  size: 'unknown',
  employeesRange: null,
  region: chamber,
  foundedYear: yearOf(foundedOn),
  status,
  country: 'CO',
  source: 'rues',
});

/** Fields of which each tax registry has its own form. */
type RegistryFields = Omit<CompanyProfile, 'foundedYear' | 'status' | 'country' | 'source'>;

const fromSii = ({ name, activity, salesBracket, workers, regionName }: SiiCompany): RegistryFields => ({
  companyName: name,
  activity: activity?.description ?? null,
  activityCode: activity?.code ?? null,
  size: sizeOfBracket(salesBracket),
  employeesRange: employeesRange(workers),
  region: regionName,
});

const fromReceita = ({ legalName, activity, activityCode, size, isMei, state }: ReceitaCompany): RegistryFields => ({
  companyName: legalName,
  activity,
  activityCode,
  size: sizeOfPorte(size, isMei),
  employeesRange: null,
  region: state,
});
