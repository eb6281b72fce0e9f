import { derive } from '../../../domain/answer.ts';
import type { ModuleName } from '../../../domain/catalogue.ts';
import { COUNTRIES, type CompanyKey, type Country } from '../../../domain/company.ts';
import { derivedFrom } from '../../../loaders/derived-from.ts';
import { companyLoader, type Offered } from '../../../loaders/loader.ts';
import { type AsOfKey, asOfKeyText, taxpayerAsOfLoader } from '../../../loaders/registry-as-of.ts';
import { ruesLoader } from '../../../loaders/rues.ts';
import { foundedOn, statusOf, type Taxpayer, taxpayerLoader } from '../../../loaders/taxpayer.ts';
import type { ReceitaCompany } from '../../../sources/receita-federal/company.ts';
import type { RuesCompany, RuesFinding } from '../../../sources/rues/company.ts';
import type { SiiCompany } from '../../../sources/sii/sii.ts';
import { capitalOf, type RegistrationRecord, type RegistryTerm } from '../domain/registration.ts';
import { siiRegistration } from '../loader.ts';

const ofTaxpayer = derivedFrom<'BR' | 'CL', Taxpayer, RegistrationRecord | null>(taxpayerLoader, toRegistration);
const inRegister = derivedFrom<'CO', RuesFinding, RegistrationRecord | null>(ruesLoader, ({ record }) => record && fromRues(record));

/**
 * CompanyKey (BR, CL, CO) → RegistrationRecord, from the same record of the registry as `kybLoader`; null for a company that the registry
 * does not have.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const registrationLoader = companyLoader<Country, RegistrationRecord | null>({
  name: 'registration',
  module: 'kyb',
  countries: COUNTRIES,
  subject: 'The registration',
  counts: (registration) => registration !== null,
  answer: ({ country, taxId }, load, time) =>
    country === 'CO' ? inRegister({ country, taxId }, load, time) : ofTaxpayer({ country, taxId }, load, time),
});

/** Creates the loader of the registration as a part of an answer of another module, which is counted for that module. */
export const includedRegistration = (module: ModuleName): Offered<CompanyKey, RegistrationRecord | null> => ({
  ...registrationLoader,
  name: `${module}_registration`,
  module,
  included: true,
});

/**
 * AsOfKey (BR) → RegistrationRecord as of the date; null for a company that the registry did not have. Fields of which no differences are
 * kept are null: trade name, other activities, Simples, MEI, federative entity, place abroad.
 * @throws AppError of `taxpayerAsOfLoader`
 */
export const registrationAsOfLoader: Offered<AsOfKey, RegistrationRecord | null> = {
  name: 'registration_as_of',
  module: 'kyb',
  counts: (registration) => registration !== null,
  key: asOfKeyText,
  answer: async (key, load) => derive<Taxpayer, RegistrationRecord | null>(await load(taxpayerAsOfLoader, key), toRegistration),
};

function toRegistration(taxpayer: Taxpayer): RegistrationRecord | null {
  const { source, record } = taxpayer;
  if (record === null) return null;
  return {
    ...NOT_IN_TAX_REGISTRIES,
    ...(source === 'sii' ? fromSii(record) : fromReceita(record, taxpayer.mirror === 'minha_receita')),
    openedOn: foundedOn(taxpayer),
    status: statusOf(taxpayer) === 'active' ? 'active' : 'inactive',
    source,
    mirror: source === 'receita_federal' ? taxpayer.mirror : null,
  };
}

/** Fields of which only the commercial register has values. */
const NOT_IN_TAX_REGISTRIES = { chamberRegistrations: null, lastRenewedYear: null, notRenewedSince: null } as const;

/** Fields of which each tax registry has its own form. */
type RegistryFields = Omit<RegistrationRecord, 'openedOn' | 'status' | 'source' | 'mirror' | keyof typeof NOT_IN_TAX_REGISTRIES>;

const termOf = (code: string | null, text: string | null): RegistryTerm | null => (code === null && text === null ? null : { code, text });

/** @param isFloat true for a record of minha-receita or BrasilAPI, whose capital is a 32-bit float */
function fromReceita(company: ReceitaCompany, isFloat: boolean): RegistryFields {
  const { details, activityCode, activity } = company;
  return {
    companyName: company.legalName || null,
    tradeName: company.tradeName,
    legalNature: termOf(company.nature, details.natureName),
    size: company.size,
    ...capitalOf(company.capital, isFloat),
    statusText: company.registration,
    statusSince: company.registrationSince,
    statusReason: details.reason,
    isBranch: company.isBranch,
    mainActivity: termOf(activityCode, activity),
    otherActivities: details.otherActivities,
    address: { ...details.address, municipality: company.municipality, region: company.state },
    simples: details.simples,
    mei: details.mei,
    federativeEntity: details.federativeEntity,
    specialSituation: company.specialSituation,
    specialSituationSince: details.specialSituationSince,
  };
}

/** An address, of which the registries outside Brazil publish two parts at most. */
const addressOf = (municipality: string | null, region: string | null): RegistrationRecord['address'] => ({
  street: null,
  number: null,
  complement: null,
  district: null,
  municipality,
  region,
  postalCode: null,
  foreignCity: null,
  foreignCountry: null,
});

/** Fields that only the Brazilian registry publishes. */
const ONLY_BRAZILIAN = {
  size: null,
  capital: null,
  isCapitalRounded: false,
  statusReason: null,
  simples: null,
  mei: null,
  federativeEntity: null,
  specialSituation: null,
  specialSituationSince: null,
} as const;

function fromRues(company: RuesCompany): RegistrationRecord {
  const [main, ...others] = company.activities.map((code) => ({ code, text: null }));
  return {
    ...ONLY_BRAZILIAN,
    companyName: company.name,
    tradeName: company.tradeName,
    legalNature: termOf(null, company.legalForm),
    openedOn: company.foundedOn,
    status: company.status,
    statusText: company.state,
    statusSince: company.endedOn,
    isBranch: company.isBranch,
    mainActivity: main ?? null,
    otherActivities: others,
    address: addressOf(null, company.chamber),
    chamberRegistrations: company.registrations,
    lastRenewedYear: company.lastRenewedYear,
    notRenewedSince: company.notRenewedSince,
    source: 'rues',
    mirror: null,
  };
}

const fromSii = (company: SiiCompany): RegistryFields => ({
  ...ONLY_BRAZILIAN,
  companyName: company.name,
  tradeName: null,
  legalNature: termOf(null, company.kind),
  statusText: siiRegistration(company),
  statusSince: company.endedOn,
  isBranch: false,
  mainActivity: company.activity && termOf(company.activity.code, company.activity.description),
  otherActivities: null,
  address: addressOf(company.commune, company.regionName),
});
