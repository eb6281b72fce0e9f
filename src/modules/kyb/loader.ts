import { derived, whenKnown } from '../../domain/answer.ts';
import { yearOf } from '../../domain/time.ts';
import { companyLoader } from '../../loaders/loader.ts';
import { foundedOn, hasStarted, statusOf, type Taxpayer, taxpayerLoader } from '../../loaders/taxpayer.ts';
import type { ReceitaCompany } from '../../sources/receita-federal/company.ts';
import type { SiiCompany } from '../../sources/sii/sii.ts';
import type { Kyb } from './domain.ts';

/**
 * CompanyKey (BR, CL) → Kyb, read from the tax registry.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const kybLoader = companyLoader<'BR' | 'CL', Kyb>({
  name: 'kyb',
  module: 'kyb',
  countries: ['BR', 'CL'],
  subject: 'KYB',
  answer: (key, load) => whenKnown(load(taxpayerLoader, key), toAnswer),
});

const toAnswer = derived(toKyb);

function toKyb(taxpayer: Taxpayer): Kyb {
  const status = statusOf(taxpayer);
  return {
    ...fieldsOf(taxpayer),
    status,
    verified: status === 'active',
    foundedYear: yearOf(foundedOn(taxpayer)),
    source: taxpayer.source,
  };
}

/** The fields that each registry states in its own form. */
type RegistryFields = Pick<Kyb, 'companyName' | 'endDate' | 'registration' | 'isBranch' | 'specialSituation'>;

function fieldsOf({ source, record }: Taxpayer): RegistryFields {
  if (record === null) return { companyName: null, endDate: null, registration: null, isBranch: false, specialSituation: null };
  return source === 'sii' ? fromSii(record) : fromReceita(record);
}

const fromReceita = ({ legalName, registration, registrationSince, isBranch, specialSituation }: ReceitaCompany): RegistryFields => ({
  companyName: legalName,
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

/** The registry's files have a word for the end of activities only; the other two words are those of its taxpayer lookup page. */
function siiRegistration(company: SiiCompany): string {
  if (company.endedOn !== null) return company.endKind ?? 'TERMINO DE GIRO';
  return hasStarted(company) ? 'INICIO DE ACTIVIDADES' : 'SIN INICIO DE ACTIVIDADES';
}
