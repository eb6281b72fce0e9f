import { derive } from '../../domain/answer.ts';
import { COUNTRIES, type Country } from '../../domain/company.ts';
import { yearOf } from '../../domain/time.ts';
import { derivedFrom } from '../../loaders/derived-from.ts';
import { companyLoader, type Offered } from '../../loaders/loader.ts';
import { type AsOfKey, asOfKeyText, taxpayerAsOfLoader } from '../../loaders/registry-as-of.ts';
import { ruesLoader } from '../../loaders/rues.ts';
import { foundedOn, hasStarted, statusOf, type Taxpayer, taxpayerLoader } from '../../loaders/taxpayer.ts';
import type { ReceitaCompany } from '../../sources/receita-federal/company.ts';
import type { RuesFinding } from '../../sources/rues/company.ts';
import type { SiiCompany } from '../../sources/sii/sii.ts';
import type { Kyb, TaxKyb } from './domain.ts';

/**
 * CompanyKey (BR, CL) → TaxKyb, read from the tax registry.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const taxKybLoader = companyLoader<'BR' | 'CL', TaxKyb>({
  name: 'kyb',
  module: 'kyb',
  countries: ['BR', 'CL'],
  subject: 'KYB',
  answer: derivedFrom(taxpayerLoader, toKyb),
});

const kybInRegister = derivedFrom<'CO', RuesFinding, Kyb>(ruesLoader, toKybInRegister);

/**
 * CompanyKey (BR, CL, CO) → Kyb, read from the tax registry; CO: from the commercial register.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const kybLoader = companyLoader<Country, Kyb>({
  name: 'kyb_of_any_country',
  module: 'kyb',
  countries: COUNTRIES,
  subject: 'KYB',
  answer: ({ country, taxId }, load, time) =>
    country === 'CO' ? kybInRegister({ country, taxId }, load, time) : load(taxKybLoader, { country, taxId }),
});

/** AsOfKey (BR) → Kyb as of the date. @throws AppError of `taxpayerAsOfLoader` */
export const kybAsOfLoader: Offered<AsOfKey, Kyb> = {
  name: 'kyb_as_of',
  module: 'kyb',
  key: asOfKeyText,
  answer: async (key, load) => derive<Taxpayer, Kyb>(await load(taxpayerAsOfLoader, key), toKyb),
};

function toKyb(taxpayer: Taxpayer): TaxKyb {
  const status = statusOf(taxpayer);
  return {
    ...fieldsOf(taxpayer),
    ...NOT_IN_TAX_REGISTRIES,
    status,
    verified: status === 'active',
    foundedYear: yearOf(foundedOn(taxpayer)),
    source: taxpayer.source,
    mirror: taxpayer.source === 'receita_federal' ? taxpayer.mirror : null,
  };
}

/** Fields of which only the commercial register has values. */
const NOT_IN_TAX_REGISTRIES = { absence: null, lastRenewedYear: null, notRenewedSince: null, renewalsMissed: null } as const;

function toKybInRegister({ record, absence }: RuesFinding): Kyb {
  return {
    companyName: record?.name ?? null,
    status: record?.status ?? 'not_found',
    verified: record?.isVerified ?? false,
    foundedYear: yearOf(record?.foundedOn ?? null),
    endDate: record?.endedOn ?? null,
    registration: record?.state ?? null,
    isBranch: record?.isBranch ?? false,
    specialSituation: null,
    absence,
    lastRenewedYear: record?.lastRenewedYear ?? null,
    notRenewedSince: record?.notRenewedSince ?? null,
    renewalsMissed: record?.renewalsMissed ?? null,
    source: 'rues',
    mirror: null,
  };
}

/** Fields of which each registry has its own form. */
type RegistryFields = Pick<Kyb, 'companyName' | 'endDate' | 'registration' | 'isBranch' | 'specialSituation'>;

function fieldsOf({ source, record }: Taxpayer): RegistryFields {
  if (record === null) return { companyName: null, endDate: null, registration: null, isBranch: false, specialSituation: null };
  return source === 'sii' ? fromSii(record) : fromReceita(record);
}

const fromReceita = ({ legalName, registration, registrationSince, isBranch, specialSituation }: ReceitaCompany): RegistryFields => ({
  companyName: legalName || null,
  endDate: registration === 'BAIXADA' ? registrationSince : null,
  registration,
  isBranch,
  specialSituation,
});

const fromSii = (company: SiiCompany): RegistryFields => ({
  companyName: company.name,
  endDate: company.endedOn,
  registration: siiRegistration(company),
  isBranch: false,
  specialSituation: null,
});

/**
 * Returns the registry's term for the status. Its files have a term for the end of activities only; the other two are those of its
 * taxpayer lookup page.
 */
export function siiRegistration(company: SiiCompany): string {
  if (company.endedOn !== null) return company.endKind ?? 'TERMINO DE GIRO';
  return hasStarted(company) ? 'INICIO DE ACTIVIDADES' : 'SIN INICIO DE ACTIVIDADES';
}
