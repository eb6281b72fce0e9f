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
import { CANDIDATE, type ObservationKey } from '../domain/change.ts';
import { listKey, type WatchedList } from '../domain/list-changes.ts';
import type { CompanyListEntries } from '../store/list-entries.ts';

/** The content of one list version about companies. */
export interface ListObservation {
  readonly version: string;
  /** Sorted texts of each company, in the order of the companies. */
  readonly observed: readonly (readonly string[])[];
}

/** A watched list and its source, and the way in which companies are compared with it. */
export interface ListSource extends WatchedList {
  readonly key: ObservationKey;
  readonly source: RegistrySource<unknown>;
  /** Version of the parser. The first comparison after it changes is a baseline: it publishes nothing. */
  readonly schemaVersion: number;
  /** Returns null while the current version cannot be compared yet. @throws AppError SOURCE_UNAVAILABLE */
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

/** All lists that are watched by tax id. A list added to one of these modules is watched without a change here. */
export const LISTS: readonly ListSource[] = [
  ...listsOf('debarment', debarmentSources),
  ...listsOf('sanctions', sanctionsSources),
  ...listsOf('labor', [trabalhoEscravo]),
];

/** All comparisons with lists: the entries that name a company, and the parties with a name similar to the company's. */
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
 * Returns the entries of a company in a version that has rows without a readable id. A missing entry may be one of these rows, so it
 * counts as removed only when a version without such rows lacks it.
 */
const withoutLosses = (found: readonly string[], before: readonly string[]): readonly string[] =>
  found.length < before.length ? [...new Set([...found, ...before])].toSorted() : found;

/**
 * Returns the sorted hashes of the records of entries. The hashes do not include ids: some lists number their rows anew in each version,
 * and the others have the id in the record, too.
 */
export const fingerprints = (entries: readonly ListEntry<unknown>[]): readonly string[] =>
  entries.map(({ record }) => createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 22)).toSorted();

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
