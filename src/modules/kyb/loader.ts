import { derive } from '../../domain/answer.ts';
import { type CompanyKey, companyKeyText, requireCountry } from '../../domain/company.ts';
import { yearOf } from '../../domain/time.ts';
import type { Offered } from '../../loaders/loader.ts';
import { type Taxpayer, taxpayerLoader } from '../../loaders/taxpayer.ts';
import type { Kyb } from './domain.ts';

/**
 * CompanyKey (BR) → Kyb, read from the tax registry.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const kybLoader: Offered<CompanyKey, Kyb> = {
  name: 'kyb',
  module: 'kyb',
  key: companyKeyText,
  async answer(key, load) {
    requireCountry(key.country, ['BR'], 'KYB');
    return derive(await load(taxpayerLoader, key), toKyb);
  },
};

function toKyb({ source, record }: Taxpayer): Kyb {
  return {
    companyName: record?.legalName ?? null,
    status: record ? (record.registration === 'ATIVA' ? 'active' : 'inactive') : 'not_found',
    verified: record?.registration === 'ATIVA',
    foundedYear: yearOf(record?.openedOn ?? null),
    endDate: record?.registration === 'BAIXADA' ? record.registrationSince : null,
    registration: record?.registration ?? null,
    isBranch: record?.isBranch ?? false,
    specialSituation: record?.specialSituation ?? null,
    source,
  };
}
