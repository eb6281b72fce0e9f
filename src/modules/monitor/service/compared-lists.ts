import { createHash } from 'node:crypto';
import { UNREADABLE_ROWS } from '../../../sources/registry/company-documents.ts';
import type { ListEntry, RegistrySource } from '../../../sources/registry/registry.ts';
import type { Use } from '../../../sources/source.ts';
import { debarmentSources } from '../../debarment/source.ts';
import { trabalhoEscravo } from '../../labor/source.ts';
import { bestCandidates, recordText } from '../../sanctions/domain/candidate.ts';
import type { SanctionsList } from '../../sanctions/domain.ts';
import { searchNames } from '../../sanctions/loaders/candidates.ts';
import type { SanctionsEntry } from '../../sanctions/sources/entry.ts';
import { sanctionsSources } from '../../sanctions/sources/lists.ts';
import { NAMES_VERSION, nameView } from '../../sanctions/sources/name-view.ts';
import { CANDIDATE, listKey, type ObservationKey, type WatchedList } from '../domain/change.ts';
import type { CompanyListEntries } from '../store/list-entries.ts';

/** What one version of a list contains about companies. */
export interface ListObservation {
  readonly version: string;
  /** Sorted texts of each company, in the order of the companies. */
  readonly observed: readonly (readonly string[])[];
}

/** A watched list and its source, and how companies are compared with it. */
export interface ListSource extends WatchedList {
  readonly key: ObservationKey;
  readonly source: RegistrySource<unknown>;
  /** The first comparison after a change of it is a baseline: it publishes nothing. */
  readonly schemaVersion: number;
  /** Null while the current version cannot be compared with yet. @throws AppError SOURCE_UNAVAILABLE */
  readonly observe: (companies: readonly CompanyListEntries[], use: Use) => Promise<ListObservation | null>;
}

const listsOf = (field: ListSource['field'], sources: readonly RegistrySource<unknown>[]): readonly ListSource[] =>
  sources.map((source) => ({
    list: source.name,
    field,
    key: source.name,
    source,
    schemaVersion: source.spec.schemaVersion,
    observe: (companies, use) => observeEntries(source, companies, use),
  }));

/** Every list that is watched by tax id. A list added to one of these modules is watched without a change here. */
export const LISTS: readonly ListSource[] = [
  ...listsOf('debarment', debarmentSources),
  ...listsOf('sanctions', sanctionsSources),
  ...listsOf('labor', [trabalhoEscravo]),
];

/** Everything that lists are compared for: the entries that name a company, and the parties with a name similar to the company's. */
export const COMPARISONS: readonly ListSource[] = [
  ...LISTS,
  ...sanctionsSources.map((source) => ({
    list: source.name,
    field: CANDIDATE as typeof CANDIDATE,
    key: listKey({ list: source.name, field: CANDIDATE }),
    source,
    schemaVersion: source.spec.schemaVersion * 1_000 + NAMES_VERSION, // changes with either; NAMES_VERSION stays below 1,000
    observe: (companies: readonly CompanyListEntries[], use: Use) => observeCandidates(source, companies, use),
  })),
];

async function observeEntries(
  source: RegistrySource<unknown>,
  companies: readonly CompanyListEntries[],
  use: Use,
): Promise<ListObservation> {
  const { version, entries } = await use(source).lookup([...new Set(companies.map(({ legalPerson }) => legalPerson)), UNREADABLE_ROWS]);
  const hasUnreadable = (entries.get(UNREADABLE_ROWS) ?? []).length > 0;
  const observed = companies.map(({ legalPerson, entries: before }) => {
    const found = fingerprints(entries.get(legalPerson) ?? []);
    return hasUnreadable ? withoutLosses(found, before ?? []) : found;
  });
  return { version: version.id, observed };
}

/**
 * The entries of a company in a version that has rows without a readable id. An entry that is missing may be one of them, so none is gone
 * before a version without such rows says so.
 */
const withoutLosses = (found: readonly string[], before: readonly string[]): readonly string[] =>
  found.length < before.length ? [...new Set([...found, ...before])].toSorted() : found;

/**
 * Entries → a sorted list of hashes of their records. Ids are left out: some lists number their rows anew in each version, and the
 * others have the id in the record, too.
 */
export const fingerprints = (entries: readonly ListEntry<unknown>[]): readonly string[] =>
  entries.map(({ record }) => createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 22)).toSorted();

/**
 * The candidates of companies on a list: all names in one pass, in slices that let other requests run. Null while the names of the
 * current version are not indexed.
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
