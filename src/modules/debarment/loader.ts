import { BRASILIA_OFFSET_MS, isoDate } from '../../domain/time.ts';
import { consult, listLoader } from '../../loaders/list.ts';
import { companyLoader } from '../../loaders/loader.ts';
import type { ListEntry } from '../../sources/registry/registry.ts';
import { type Debarment, type DebarmentList, type DebarmentRecord, listingStatus, sanctionType } from './domain.ts';
import { type DebarmentEntry, debarmentSources } from './source.ts';

const LISTS = debarmentSources.map(listLoader);

/**
 * CompanyKey (BR) → Debarment: the records of CEIS and CNEP about any branch of the company (CNPJ root).
 * @throws AppError UNSUPPORTED_COUNTRY; SOURCE_UNAVAILABLE when a list cannot be read and the other has no record
 */
export const debarmentLoader = companyLoader<'BR', Debarment>({
  name: 'debarment',
  module: 'debarment',
  countries: ['BR'],
  subject: 'Debarment',
  async answer(key, load, now) {
    const { seen, freshness } = await consult(LISTS, key, load);
    const today = isoDate(now() + BRASILIA_OFFSET_MS);
    const records = seen
      .flatMap(({ list, listing }) => listing.entries.map((entry) => toRecord(list as DebarmentList, entry, key.taxId, today)))
      .sort((a, b) => (b.dateStart ?? '').localeCompare(a.dateStart ?? ''));
    const sourcesChecked = seen.map(({ list }) => list as DebarmentList);
    return { value: { isDebarred: records.length > 0, records, sourcesChecked }, freshness };
  },
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
  matchedOn: entry.cnpj === requested ? 'cnpj' : 'root',
  cnpj: entry.cnpj,
});
