import { derive } from '../../domain/answer.ts';
import { type CompanyKey, companyKeyText, requireCountry } from '../../domain/company.ts';
import { yearOf } from '../../domain/time.ts';
import type { Offered } from '../../loaders/loader.ts';
import { foundedOn, hasStarted, statusOf, type Taxpayer, taxpayerLoader } from '../../loaders/taxpayer.ts';
import type { ReceitaCompany } from '../../sources/receita-federal/company.ts';
import type { SiiCompany } from '../../sources/sii/sii.ts';
import type { Kyb } from './domain.ts';

/**
 * CompanyKey (BR, CL) → Kyb, read from the tax registry.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const kybLoader: Offered<CompanyKey, Kyb> = {
  name: 'kyb',
  module: 'kyb',
  key: companyKeyText,
  async answer(key, load) {
    requireCountry(key.country, ['BR', 'CL'], 'KYB');
    return derive(await load(taxpayerLoader, key), toKyb);
  },
};

function toKyb(taxpayer: Taxpayer): Kyb {
  const status = statusOf(taxpayer);
  return {
    ...words(taxpayer),
    status,
    verified: status === 'active',
    foundedYear: yearOf(foundedOn(taxpayer)),
    source: taxpayer.source,
  };
}

type Words = Pick<Kyb, 'companyName' | 'endDate' | 'registration' | 'isBranch' | 'specialSituation'>;

/** What each registry says in its own words. */
function words({ source, record }: Taxpayer): Words {
  if (record === null) return { companyName: null, endDate: null, registration: null, isBranch: false, specialSituation: null };
  return source === 'sii' ? siiWords(record) : receitaWords(record);
}

const receitaWords = ({ legalName, registration, registrationSince, isBranch, specialSituation }: ReceitaCompany): Words => ({
  companyName: legalName,
  endDate: registration === 'BAIXADA' ? registrationSince : null,
  registration,
  isBranch,
  specialSituation,
});

const siiWords = (company: SiiCompany): Words => ({
  companyName: company.name,
  endDate: company.endedOn,
  registration: siiRegistration(company),
  isBranch: false,
  specialSituation: null,
});

/** The registry prints a word for an end alone; the others are those of its page on taxpayers. */
function siiRegistration(company: SiiCompany): string {
  if (company.endedOn !== null) return company.endKind ?? 'TERMINO DE GIRO';
  return hasStarted(company) ? 'INICIO DE ACTIVIDADES' : 'SIN INICIO DE ACTIVIDADES';
}
