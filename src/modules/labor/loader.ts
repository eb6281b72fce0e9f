import type { CompanyKey } from '../../domain/company.ts';
import { derivedFrom } from '../../loaders/derived-from.ts';
import { type Listing, listFacts, listLoader } from '../../loaders/list.ts';
import { companyLoader } from '../../loaders/loader.ts';
import { cnpjMatch } from '../../sources/registry/company-documents.ts';
import type { ListEntry } from '../../sources/registry/registry.ts';
import { companyListing, type NamedList } from '../debarment/loaders/company-listing.ts';
import { LABOR_LISTS, type Labor, type LaborRecord } from './domain.ts';
import { type LaborEntry, trabalhoEscravo } from './source.ts';

export const laborListing: NamedList<LaborEntry> = { list: listLoader(trabalhoEscravo), nameOf: ({ employer }) => employer };

/**
 * CompanyKey (BR) → Labor: listings of any branch of the company (CNPJ root).
 * @throws AppError UNSUPPORTED_COUNTRY; SOURCE_UNAVAILABLE when the list cannot be read or does not clear the company
 */
export const laborLoader = companyLoader<'BR', Labor>({
  name: 'labor',
  module: 'labor',
  countries: ['BR'],
  subject: 'The forced-labour registry',
  answer: derivedFrom(companyListing(laborListing), toLabor),
});

function toLabor(listing: Listing<LaborEntry>, { taxId }: CompanyKey): Labor {
  return {
    hasViolations: listing.entries.length > 0,
    records: listing.entries.map((entry) => toRecord(entry, taxId)),
    sourcesChecked: LABOR_LISTS,
    lists: [listFacts(listing)],
  };
}

const toRecord = ({ id, record: entry }: ListEntry<LaborEntry>, requested: string): LaborRecord => ({
  id: `TRABALHO_ESCRAVO:${id}:${requested}`,
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
  matchedOn: cnpjMatch(entry, requested).matchedOn,
});
