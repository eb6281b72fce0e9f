import { derive } from '../../domain/answer.ts';
import { type CompanyKey, companyKeyText, requireCountry } from '../../domain/company.ts';
import { listLoader } from '../../loaders/list.ts';
import type { Offered } from '../../loaders/loader.ts';
import type { Labor, LaborRecord } from './domain.ts';
import { type LaborEntry, trabalhoEscravo } from './source.ts';

const list = listLoader(trabalhoEscravo);

/**
 * CompanyKey (BR) → Labor: listings of any branch of the company's CNPJ root.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const laborLoader: Offered<CompanyKey, Labor> = {
  name: 'labor',
  module: 'labor',
  key: companyKeyText,
  async answer(key, load) {
    requireCountry(key.country, ['BR'], 'The forced-labour registry');
    return derive(await load(list, key), ({ entries }) => ({
      hasViolations: entries.length > 0,
      records: entries.map(({ record }) => toRecord(record, key.taxId)),
      sourcesChecked: ['TRABALHO_ESCRAVO'],
    }));
  },
};

const toRecord = (entry: LaborEntry, asked: string): LaborRecord => ({
  source: 'TRABALHO_ESCRAVO',
  employer: entry.employer,
  year: entry.year,
  workersRescued: entry.workersRescued,
  state: entry.state,
  municipality: entry.municipality,
  activity: entry.cnae,
  decisionId: entry.decisionOn,
  establishment: entry.establishment,
  listedOn: entry.listedOn,
  removedOn: entry.removedOn,
  status: entry.removedOn === null ? 'active' : 'ended',
  matchedOn: entry.cnpj === asked ? 'cnpj' : 'root',
});
