import { type Answer, keepByParts, whenKnown } from '../../domain/answer.ts';
import { brazilianDate } from '../../domain/time.ts';
import { type Consultation, consult, listFacts, listLoader } from '../../loaders/list.ts';
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
  answer: (key, load, time) =>
    whenKnown(consult(debarmentListings.map((list) => companyListing(list, key, load))), (consultation) =>
      toAnswer(consultation, key.taxId, time.today(brazilianDate)),
    ),
});

const toAnswer = keepByParts(({ seen, freshness }: Consultation<DebarmentEntry>, taxId: string, today: string): Answer<Debarment> => {
  const records = seen
    .flatMap(({ list, entries }) => entries.map((entry) => toRecord(list as DebarmentList, entry, taxId, today)))
    .sort((a, b) => (b.dateStart ?? '').localeCompare(a.dateStart ?? ''));
  const sourcesChecked = seen.map(({ list }) => list as DebarmentList);
  return { value: { isDebarred: records.length > 0, records, sourcesChecked, lists: seen.map(listFacts) }, freshness };
});

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
