import type { CompanyKey } from '../../domain/company.ts';
import { brazilianDate } from '../../domain/time.ts';
import { derivedFromLists, type Listing, listFacts, listLoader } from '../../loaders/list.ts';
import { companyLoader } from '../../loaders/loader.ts';
import type { ListEntry } from '../../sources/registry/registry.ts';
import { type Debarment, type DebarmentList, type DebarmentRecord, listingStatus, sanctionType } from './domain.ts';
import { companyListing, type NamedList } from './loaders/company-listing.ts';
import { type DebarmentEntry, debarmentSources } from './source.ts';

/** Lists with their loaders, in the order of `DEBARMENT_LISTS`. */
export const debarmentListings: readonly NamedList<DebarmentEntry>[] = debarmentSources.map((source) => ({
  list: listLoader(source),
  nameOf: ({ name }) => name,
}));

/**
 * CompanyKey (BR) → Debarment: the records of CEIS and CNEP about any branch of the company (CNPJ root).
 * @throws AppError UNSUPPORTED_COUNTRY; SOURCE_UNAVAILABLE when a list cannot be read, or does not clear the company, and the other has no record
 */
export const debarmentLoader = companyLoader<'BR', Debarment>({
  name: 'debarment',
  module: 'debarment',
  countries: ['BR'],
  subject: 'Debarment',
  answer: derivedFromLists(
    debarmentListings.map((list) => companyListing(list)),
    toDebarment,
    brazilianDate,
  ),
});

function toDebarment(seen: readonly Listing<DebarmentEntry>[], { taxId }: CompanyKey, today: string): Debarment {
  const records = seen
    .flatMap(({ list, entries }) => entries.map((entry) => toRecord(list as DebarmentList, entry, taxId, today)))
    .sort((a, b) => (b.dateStart ?? '').localeCompare(a.dateStart ?? ''));
  const sourcesChecked = seen.map(({ list }) => list as DebarmentList);
  return { isDebarred: records.length > 0, records, sourcesChecked, lists: seen.map(listFacts) };
}

const toRecord = (
  source: DebarmentList,
  { id, record: entry }: ListEntry<DebarmentEntry>,
  requested: string,
  today: string,
): DebarmentRecord => ({
  id: `${source}:${id}:${requested}`,
  source,
  sanctionType: sanctionType(entry.category),
  sanctioningBody: entry.bodyName,
  dateStart: entry.startsOn,
  dateEnd: entry.endsOn,
  processId: entry.processId,
  fineAmount: source === 'CNEP' ? entry.fineBrl : null,
  status: listingStatus(entry.endsOn, today),
  matchedOn: entry.document === requested ? 'cnpj' : 'root',
  cnpj: entry.document,
});
