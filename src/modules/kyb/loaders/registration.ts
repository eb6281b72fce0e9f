import { derive } from '../../../domain/answer.ts';
import { derivedFrom } from '../../../loaders/derived-from.ts';
import { companyLoader, type Offered } from '../../../loaders/loader.ts';
import { type AsOfKey, asOfKeyText, taxpayerAsOfLoader } from '../../../loaders/registry-as-of.ts';
import { foundedOn, statusOf, type Taxpayer, taxpayerLoader } from '../../../loaders/taxpayer.ts';
import type { ReceitaCompany } from '../../../sources/receita-federal/company.ts';
import type { SiiCompany } from '../../../sources/sii/sii.ts';
import { capitalOf, type RegistrationRecord, type RegistryTerm } from '../domain/registration.ts';
import { siiRegistration } from '../loader.ts';

/**
 * CompanyKey (BR, CL) → RegistrationRecord, from the same record of the tax registry as `kybLoader`; null for a company that the registry
 * does not have.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const registrationLoader = companyLoader<'BR' | 'CL', RegistrationRecord | null>({
  name: 'registration',
  module: 'kyb',
  countries: ['BR', 'CL'],
  subject: 'The registration',
  counts: (registration) => registration !== null,
  answer: derivedFrom(taxpayerLoader, toRegistration),
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
    ...(source === 'sii' ? fromSii(record) : fromReceita(record, taxpayer.mirror === 'minha_receita')),
    openedOn: foundedOn(taxpayer),
    status: statusOf(taxpayer) === 'active' ? 'active' : 'inactive',
    source,
    mirror: source === 'receita_federal' ? taxpayer.mirror : null,
  };
}

/** Fields of which each registry has its own form. */
type RegistryFields = Omit<RegistrationRecord, 'openedOn' | 'status' | 'source' | 'mirror'>;

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

const fromSii = (company: SiiCompany): RegistryFields => ({
  companyName: company.name,
  tradeName: null,
  legalNature: termOf(null, company.kind),
  size: null,
  capital: null,
  isCapitalRounded: false,
  statusText: siiRegistration(company),
  statusSince: company.endedOn,
  statusReason: null,
  isBranch: false,
  mainActivity: company.activity && termOf(company.activity.code, company.activity.description),
  otherActivities: null,
  address: {
    street: null,
    number: null,
    complement: null,
    district: null,
    municipality: company.commune,
    region: company.regionName,
    postalCode: null,
    foreignCity: null,
    foreignCountry: null,
  },
  simples: null,
  mei: null,
  federativeEntity: null,
  specialSituation: null,
  specialSituationSince: null,
});
