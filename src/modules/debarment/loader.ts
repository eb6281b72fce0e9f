import type { CompanyKey } from '../../domain/company.ts';
import { brazilianDate } from '../../domain/time.ts';
import { byChoice, nameOfChoice } from '../../loaders/by-choice.ts';
import { derivedFromLists, type Listing, listFacts, listLoader } from '../../loaders/list.ts';
import { companyLoader } from '../../loaders/loader.ts';
import { cnpjMatch } from '../../sources/registry/company-documents.ts';
import type { ListEntry, RegistrySource } from '../../sources/registry/registry.ts';
import {
  type CheckedList,
  type Debarment,
  type DebarmentRecord,
  isBan,
  LENIENCY_LIST,
  type LeniencyAgreement,
  listingStatus,
  OPTIONAL_DEBARMENT_LISTS,
  type OptionalDebarmentList,
  sanctionType,
} from './domain.ts';
import { companyListing, type NamedList } from './loaders/company-listing.ts';
import { debarmentSources } from './source.ts';
import type { AgreementEntry } from './sources/acordo-leniencia.ts';
import type { DebarmentEntry } from './sources/entry.ts';
import { optionalDebarmentSources } from './sources/optional.ts';

type AnyEntry = DebarmentEntry | AgreementEntry;

const namedList = <R extends AnyEntry>(source: RegistrySource<R>): NamedList<R> => ({
  list: listLoader(source),
  nameOf: ({ name }) => name,
});

/** CEIS and CNEP with their loaders, in the order of `DEBARMENT_LISTS`. */
export const debarmentListings: readonly NamedList<DebarmentEntry>[] = debarmentSources.map(namedList);

const optionalListings = new Map(optionalDebarmentSources.map((source) => [source.name as string, namedList(source)]));

/** The optional lists of bans, which name companies only, with their loaders. */
export const optionalBanListings = [...optionalListings].flatMap(([name, listing]) =>
  name === LENIENCY_LIST ? [] : [listing as NamedList<DebarmentEntry>],
);

/** Returns CEIS, CNEP and the chosen lists, with their loaders. */
const listingsOf = (chosen: readonly OptionalDebarmentList[]): readonly NamedList<AnyEntry>[] =>
  [...debarmentListings, ...chosen.flatMap((name) => optionalListings.get(name) ?? [])] as readonly NamedList<AnyEntry>[];

/**
 * Returns the loader CompanyKey (BR) → Debarment for a choice of optional lists: the records of CEIS, CNEP and the chosen lists about any
 * branch of the company (CNPJ root). Other names in the choice are ignored.
 * @throws AppError, its answers: UNSUPPORTED_COUNTRY; SOURCE_UNAVAILABLE when a list cannot be read, or does not clear the company, and no
 * other has a record that counts
 */
export const debarmentLoaderOf = byChoice(OPTIONAL_DEBARMENT_LISTS, (chosen) =>
  companyLoader<'BR', Debarment>({
    name: nameOfChoice('debarment', chosen),
    module: 'debarment',
    countries: ['BR'],
    subject: 'Debarment',
    answer: derivedFromLists(
      listingsOf(chosen).map((list) => companyListing(list, { decides: settles })),
      toDebarment,
      brazilianDate,
      decides,
    ),
  }),
);

/** The loader without optional lists. */
export const debarmentLoader = debarmentLoaderOf([]);

/** True for a list that has a record by which the company is debarred, whatever the other lists have. */
function decides({ list, entries }: Listing<AnyEntry>, today: string): boolean {
  return entries.some(({ record }) => 'category' in record && isBan({ source: list, status: listingStatus(record.endsOn, today) }));
}

/** True for a list whose other entries about the company would not change the answer: one that decides, and that of the agreements. */
function settles(listing: Listing<AnyEntry>, today: string): boolean {
  return listing.list === LENIENCY_LIST || decides(listing, today);
}

function toDebarment(seen: readonly Listing<AnyEntry>[], { taxId }: CompanyKey, today: string): Debarment {
  const found = seen.flatMap(({ list, entries }) => entries.map((entry) => ({ list, entry })));
  const records = found
    .flatMap(({ list, entry: { id, keys, record } }) =>
      'category' in record ? [toRecord(list as DebarmentRecord['source'], { id, keys, record }, taxId, today)] : [],
    )
    .sort(newestFirst);
  const agreements = found
    .flatMap(({ list, entry: { id, record } }) => ('situation' in record ? [toAgreement(`${list}:${id}`, record, taxId)] : []))
    .sort(newestFirst);
  return {
    isDebarred: records.some(isBan),
    records,
    ...(seen.some(({ list }) => list === LENIENCY_LIST) && { agreements }),
    sourcesChecked: seen.map(({ list }) => list as CheckedList),
    lists: seen.map(listFacts),
  };
}

const newestFirst = (a: { readonly dateStart: string | null }, b: { readonly dateStart: string | null }): number =>
  (b.dateStart ?? '').localeCompare(a.dateStart ?? '');

const toRecord = (
  source: DebarmentRecord['source'],
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
  ...cnpjMatch(entry, requested),
  ...(entry.reference !== undefined && { reference: entry.reference }),
  ...(entry.reason !== undefined && { reason: entry.reason }),
  ...(entry.endText !== undefined && { endText: entry.endText }),
});

const toAgreement = (id: string, entry: AgreementEntry, requested: string): LeniencyAgreement => ({
  id: `${id}:${requested}`,
  companyName: entry.name,
  dateStart: entry.startsOn,
  dateEnd: entry.endsOn,
  situation: entry.situation,
  processId: entry.processId,
  body: entry.bodyName,
  effects: entry.effects,
  ...cnpjMatch(entry, requested),
});
