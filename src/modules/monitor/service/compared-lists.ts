import { createHash } from 'node:crypto';
import type { Country } from '../../../domain/company.ts';
import { unreadableRowsOf } from '../../../sources/registry/company-documents.ts';
import type { ListEntry, RegistrySource } from '../../../sources/registry/registry.ts';
import type { Use } from '../../../sources/source.ts';
import { mayName } from '../../debarment/loaders/company-listing.ts';
import { fineSources } from '../../debarment/loaders/contract-fines.ts';
import { debarmentSources } from '../../debarment/source.ts';
import type { FineEntry } from '../../debarment/sources/fine-rows.ts';
import { optionalDebarmentSources } from '../../debarment/sources/optional.ts';
import { trabalhoEscravo } from '../../labor/source.ts';
import { bestCandidates, recordText } from '../../sanctions/domain/candidate.ts';
import type { SanctionsList } from '../../sanctions/domain.ts';
import { searchNames } from '../../sanctions/loaders/candidates.ts';
import type { SanctionsEntry } from '../../sanctions/sources/entry.ts';
import { allSanctionsSources, chosenSanctionsSources, sanctionsSources } from '../../sanctions/sources/lists.ts';
import { NAMES_VERSION, nameView } from '../../sanctions/sources/name-view.ts';
import { CANDIDATE, type ObservationKey } from '../domain/change.ts';
import { type CompanyListEntries, listKey, type WatchedList } from '../domain/list-changes.ts';

/** The content of one list version about companies. */
export interface ListObservation {
  readonly version: string;
  /** Sorted texts of each company, in the order of the companies. */
  readonly observed: readonly (readonly string[])[];
}

/** A watched list and its source, and the way in which companies are compared with it. */
export interface ListSource extends WatchedList {
  readonly key: ObservationKey;
  /** Country of the companies that the list names; null for a list about all countries. */
  readonly country: Country | null;
  readonly source: RegistrySource<unknown>;
  /** Version of the parser. The first comparison after it changes is a baseline: it publishes nothing. */
  readonly schemaVersion: number;
  /** Returns null while the current version cannot be compared yet. @throws AppError SOURCE_UNAVAILABLE */
  readonly observe: (companies: readonly CompanyListEntries[], use: Use) => Promise<ListObservation | null>;
}

/**
 * Takes the rows of a version that cannot be assigned to a company. Returns a function that tells whether one of them may be about a company
 * with these names, so that an entry of the company that is missing may be that row.
 */
type MayBeAbout<R> = (unassigned: readonly ListEntry<R>[]) => Promise<(names: readonly string[]) => boolean>;

/** Lists of Brazil rarely have such rows, which then may be about any company. */
const anyCompany: MayBeAbout<unknown> = async (unassigned) => () => unassigned.length > 0;

/** Lists of fines always have such rows, with the names of the contractors. */
const similarCompany: MayBeAbout<FineEntry> = (unassigned) => mayName(unassigned, ({ name }) => name);

/** Creates the lists of a field. @param country see `ListSource`. A list about all countries has no rows that cannot be assigned. */
const listsOf = <R>(
  field: ListSource['field'],
  country: Country | null,
  sources: readonly RegistrySource<R>[],
  mayBeAbout: MayBeAbout<R> = anyCompany,
): readonly ListSource[] =>
  sources.map((source) => ({
    list: source.name,
    field,
    country,
    key: source.name,
    source,
    schemaVersion: source.spec.schemaVersion,
    observe: (companies, use) => observeEntries({ source, country, mayBeAbout }, companies, use),
  }));

/** The lists that are watched by tax id for all accounts. A list added to one of these modules is watched without a change here. */
export const LISTS: readonly ListSource[] = [
  ...listsOf('debarment', 'BR', debarmentSources),
  ...listsOf('sanctions', null, sanctionsSources),
  ...listsOf('labor', 'BR', [trabalhoEscravo]),
  ...listsOf('contract_fines', 'CO', fineSources, similarCompany),
];

/** The lists that are watched by tax id for the accounts that have chosen them. */
export const CHOSEN_LISTS: readonly ListSource[] = [
  ...listsOf('debarment', 'BR', optionalDebarmentSources),
  ...listsOf('sanctions', null, chosenSanctionsSources),
];

/** All comparisons with lists: the entries that name a company, and the parties with a name similar to the company's. */
export const COMPARISONS: readonly ListSource[] = [
  ...LISTS,
  ...CHOSEN_LISTS,
  ...allSanctionsSources.map((source) => ({
    list: source.name,
    field: CANDIDATE as typeof CANDIDATE,
    country: null,
    key: listKey({ list: source.name, field: CANDIDATE }),
    source,
    schemaVersion: source.spec.schemaVersion * 1_000 + NAMES_VERSION, // changes with either; NAMES_VERSION stays below 1,000
    observe: (companies: readonly CompanyListEntries[], use: Use) => observeCandidates(source, companies, use),
  })),
];

/**
 * Reads the entries of companies in the current version. An entry that is missing counts as removed only if no row that cannot be assigned
 * may be about the company.
 */
async function observeEntries<R>(
  { source, country, mayBeAbout }: Pick<ListSource, 'country'> & { readonly source: RegistrySource<R>; readonly mayBeAbout: MayBeAbout<R> },
  companies: readonly CompanyListEntries[],
  use: Use,
): Promise<ListObservation> {
  const persons = [...new Set(companies.map(({ legalPerson }) => legalPerson))];
  const unassignedKey = country === null ? [] : [unreadableRowsOf(country)];
  const { version, entries } = await use(source).lookup([...persons, ...unassignedKey]);
  const read = companies.map((company) => ({ ...company, found: fingerprints(entries.get(company.legalPerson) ?? []) }));
  const isLost = ({ entries: before, found }: (typeof read)[number]): boolean => before !== null && found.length < before.length;
  if (!read.some(isLost)) return { version: version.id, observed: read.map(({ found }) => found) };
  const isUnclear = await mayBeAbout(unassignedKey.flatMap((key) => entries.get(key) ?? []));
  const observed = read.map((company) => {
    const { found, entries: before, names } = company;
    return isLost(company) && isUnclear(names) ? [...new Set([...found, ...(before ?? [])])].toSorted() : found;
  });
  return { version: version.id, observed };
}

/**
 * Returns the sorted hashes of the records of entries. The hashes do not include ids: some lists number their rows anew in each version,
 * and the others have the id in the record, too. They do not include `SanctionsEntry.details` either: an edited address or remark changes
 * nothing about the listing.
 */
export const fingerprints = (entries: readonly ListEntry<unknown>[]): readonly string[] =>
  entries
    .map(({ record }) => createHash('sha256').update(JSON.stringify(record, withoutDetails)).digest('base64url').slice(0, 22))
    .toSorted();

const withoutDetails = (key: string, value: unknown): unknown => (key === 'details' ? undefined : value);

/**
 * Finds the candidates of companies on a list: all names in one pass over the index, in slices so that other requests run in between.
 * Returns null while the names of the current version are not indexed.
 */
async function observeCandidates(
  source: RegistrySource<SanctionsEntry>,
  companies: readonly CompanyListEntries[],
  use: Use,
): Promise<ListObservation | null> {
  const [{ version }, view] = await Promise.all([use(source).lookup([]), use(source).view(nameView)]);
  if (view.version.id !== version.id) return null;
  const names = [...new Set(companies.flatMap((company) => company.names))];
  const found = await searchNames(names, source.name as SanctionsList, view);
  const byName = new Map(names.map((name, i) => [name, found[i] ?? []]));
  const candidatesOf = (company: CompanyListEntries) => bestCandidates(company.names.flatMap((name) => byName.get(name) ?? []));
  return { version: version.id, observed: companies.map((company) => candidatesOf(company).map(recordText).toSorted()) };
}
