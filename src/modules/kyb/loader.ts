import { derive, type Found } from '../../domain/answer.ts';
import { HOUR_MS, isoDate, MINUTE_MS, yearOf } from '../../domain/time.ts';
import { derivedFrom } from '../../loaders/derived-from.ts';
import { companyLoader, type Offered } from '../../loaders/loader.ts';
import { type AsOfKey, asOfKeyText, taxpayerAsOfLoader } from '../../loaders/registry-as-of.ts';
import { foundedOn, hasStarted, statusOf, type Taxpayer, taxpayerLoader } from '../../loaders/taxpayer.ts';
import type { ReceitaCompany } from '../../sources/receita-federal/company.ts';
import type { Sii, SiiCompany } from '../../sources/sii/sii.ts';
import { sii } from '../../sources/sii/source.ts';
import type { FoundCompanies, FoundCompany, Kyb } from './domain.ts';

/**
 * CompanyKey (BR, CL) → Kyb, read from the tax registry.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const kybLoader = companyLoader<'BR' | 'CL', Kyb>({
  name: 'kyb',
  module: 'kyb',
  countries: ['BR', 'CL'],
  subject: 'KYB',
  answer: derivedFrom(taxpayerLoader, toKyb),
});

/** AsOfKey (BR) → Kyb as of the date. @throws AppError of `taxpayerAsOfLoader` */
export const kybAsOfLoader: Offered<AsOfKey, Kyb> = {
  name: 'kyb_as_of',
  module: 'kyb',
  key: asOfKeyText,
  answer: async (key, load) => derive<Taxpayer, Kyb>(await load(taxpayerAsOfLoader, key), toKyb),
};

function toKyb(taxpayer: Taxpayer): Kyb {
  const status = statusOf(taxpayer);
  return {
    ...fieldsOf(taxpayer),
    status,
    verified: status === 'active',
    foundedYear: yearOf(foundedOn(taxpayer)),
    source: taxpayer.source,
    mirror: taxpayer.source === 'receita_federal' ? taxpayer.mirror : null,
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

export interface CompanySearch {
  /** Words of the name, normalised; at least one. */
  readonly words: readonly string[];
  /** Number of companies, 1 to 100. */
  readonly first: number;
  /** The last company of the previous page. */
  readonly after: Pick<FoundCompany, 'taxId' | 'score'> | null;
}

/**
 * CompanySearch → companies of Chile by name, from the copy of the tax registry. Answers are fresh for 15 min. A new version of the copy
 * invalidates the cache.
 * @throws AppError SOURCE_UNAVAILABLE
 */
export const companySearchLoader: Offered<CompanySearch, FoundCompanies> = {
  name: 'company_search',
  module: 'kyb',
  key: ({ words, first, after }) => [words.join(' '), first, after?.score, after?.taxId].join('|'),
  cache: { ttlMs: () => 15 * MINUTE_MS, maxStaleAgeMs: () => HOUR_MS },
  cacheVersion: (use) => use(sii).version(),
  batch: (searches, use) => searches.map((search) => searchCompanies(use(sii), search)),
};

async function searchCompanies(registry: Sii, { words, first, after }: CompanySearch): Promise<Found<FoundCompanies>> {
  const { version, goodUntil, hits, isTruncated } = await registry.search({ words, limit: first + 1, after });
  return {
    value: { companies: hits.slice(0, first), hasMore: hits.length > first, isTruncated },
    dataAsOf: version.publishedOn ?? isoDate(version.loadedAt),
    fetchedAt: version.checkedAt,
    goodUntil,
  };
}
