import { createHash } from 'node:crypto';
import type { Country } from '../../../domain/company.ts';
import { descriptionKeys } from '../../../domain/encoding.ts';
import { brazilianDate, isoDate } from '../../../domain/time.ts';
import type { ServiceDeps } from '../../../service.ts';
import { isNameless, unreadableRowsOf } from '../../../sources/registry/company-documents.ts';
import type { ListEntry, RegistrySource } from '../../../sources/registry/registry.ts';
import { listingStatus } from '../../debarment/domain.ts';
import { mayName } from '../../debarment/loaders/company-listing.ts';
import { fineSources } from '../../debarment/loaders/contract-fines.ts';
import { debarmentSources } from '../../debarment/source.ts';
import type { FineEntry } from '../../debarment/sources/fine-rows.ts';
import { optionalDebarmentSources } from '../../debarment/sources/optional.ts';
import { trabalhoEscravo } from '../../labor/source.ts';
import { bestCandidates, recordText } from '../../sanctions/domain/candidate.ts';
import { isInForce, type SanctionsList } from '../../sanctions/domain.ts';
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
  /**
   * Indexes of the companies of which an entry is missing that may be a row without a readable id: the version neither repeats nor reverts a
   * change of this entry.
   */
  readonly undecided: ReadonlySet<number>;
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
  readonly observe: (companies: readonly CompanyListEntries[], time: ObservationTime) => Promise<ListObservation | null>;
}

/** The sources, and the time on which it depends whether an entry has ended. */
export type ObservationTime = Pick<ServiceDeps, 'use' | 'now'>;

/**
 * Takes the rows of a version that cannot be assigned to a company. Returns a function that tells whether one of them may be about a company
 * with these names, so that an entry of the company that is missing may be that row.
 */
type MayBeAbout<R> = (unassigned: readonly ListEntry<R>[]) => Promise<(names: readonly string[]) => boolean>;

/** Lists of Brazil rarely have such rows, which then may be about any company. */
const anyCompany: MayBeAbout<unknown> = async (unassigned) => () => unassigned.length > 0;

/** Lists of fines always have such rows, with the names of the contractors. */
const similarCompany: MayBeAbout<FineEntry> = (unassigned) => mayName(unassigned, ({ name }) => name);

/**
 * The list of the TCU may have such rows for years, with names: records of companies whose number is missing. One without a name may be about
 * any company.
 */
const similarOrNameless: MayBeAbout<{ readonly name: string }> = async (unassigned) =>
  unassigned.some(({ record }) => isNameless(record.name)) ? () => true : mayName(unassigned, ({ name }) => name);

/** Functions that assign and count the entries of a list. */
interface Counting<R> {
  readonly mayBeAbout: MayBeAbout<R>;
  /** Tells whether an entry counts on a day, an ISO date. */
  readonly counts: (record: R, today: string) => boolean;
  /** Version of `counts`, below 1,000. It is part of `ListSource.schemaVersion`. */
  readonly countsVersion?: number;
}

/** Each entry counts, also one that has ended: the contract counts ended records of CEIS and CNEP and past listings for forced labour. */
const EACH_ENTRY: Counting<unknown> = { mayBeAbout: anyCompany, counts: () => true };

/** On the lists that accounts choose, an entry that has ended is history, as in the answers (`isBan`). */
const IN_FORCE: Counting<{ readonly endsOn: string | null; readonly name: string }> = {
  mayBeAbout: similarOrNameless,
  counts: ({ endsOn }, today) => listingStatus(endsOn, today) === 'active',
  countsVersion: 1,
};

/** Creates the lists of a field. @param country see `ListSource`. A list about all countries has no rows that cannot be assigned. */
const listsOf = <R>(
  field: ListSource['field'],
  country: Country | null,
  sources: readonly RegistrySource<R>[],
  counting: Counting<R> = EACH_ENTRY,
): readonly ListSource[] =>
  sources.map((source) => ({
    list: source.name,
    field,
    country,
    key: source.name,
    source,
    schemaVersion: versionOf(source, counting.countsVersion),
    observe: (companies, time) => observeEntries({ source, country, ...counting }, companies, time),
  }));

/** Version of a parser and of what is computed from its records: it changes with either. */
const versionOf = ({ spec: { schemaVersion } }: RegistrySource<unknown>, computed?: number): number =>
  computed === undefined ? schemaVersion : schemaVersion * 1_000 + computed;

/** The lists that are watched by tax id for all accounts. A list added to one of these modules is watched without a change here. */
export const LISTS: readonly ListSource[] = [
  ...listsOf('debarment', 'BR', debarmentSources),
  ...listsOf('sanctions', null, sanctionsSources),
  ...listsOf('labor', 'BR', [trabalhoEscravo]),
  ...listsOf('contract_fines', 'CO', fineSources, { ...EACH_ENTRY, mayBeAbout: similarCompany }),
];

/** The lists that are watched by tax id for the accounts that have chosen them. */
export const CHOSEN_LISTS: readonly ListSource[] = [
  ...listsOf('debarment', 'BR', optionalDebarmentSources, IN_FORCE),
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
    schemaVersion: versionOf(source, NAMES_VERSION),
    observe: (companies: readonly CompanyListEntries[], time: ObservationTime) => observeCandidates(source, companies, time),
  })),
];

/**
 * Reads the entries of companies that count in the current version. An entry that is missing counts as removed only if no row that cannot be
 * assigned may be about the company.
 */
async function observeEntries<R>(
  { source, country, mayBeAbout, counts }: Pick<ListSource, 'country'> & Counting<R> & { readonly source: RegistrySource<R> },
  companies: readonly CompanyListEntries[],
  { use, now }: ObservationTime,
): Promise<ListObservation> {
  const persons = [...new Set(companies.map(({ legalPerson }) => legalPerson))];
  const unassignedKey = country === null ? [] : [unreadableRowsOf(country)];
  const { version, entries } = await use(source).lookup([...persons, ...unassignedKey]);
  const today = country === 'BR' ? brazilianDate(now()) : isoDate(now());
  const read = companies.map((company) => {
    const { legalPerson, entries: before, ignored, held } = company;
    const listed = Map.groupBy(entries.get(legalPerson) ?? [], ({ record }) => counts(record, today));
    const stored = new Set([...(before ?? []), ...(ignored ?? []), ...(held ?? [])]);
    const ended = fingerprints(listed.get(false) ?? [], stored);
    const withoutEnded = (some: readonly string[] | null) => (some ?? []).filter((entry) => !ended.includes(entry));
    const found = fingerprints(listed.get(true) ?? [], stored);
    const isMissing = [before, ignored, held].some((some) => without(withoutEnded(some), found).length > 0);
    return { names: company.names, found, kept: withoutEnded(before), isMissing };
  });
  if (!read.some(({ isMissing }) => isMissing))
    return { version: version.id, observed: read.map(({ found }) => found), undecided: new Set() };
  const isUnclear = await mayBeAbout(unassignedKey.flatMap((key) => entries.get(key) ?? []));
  const unclear = read.map(({ isMissing, names }) => isMissing && isUnclear(names));
  const observed = read.map(({ found, kept }, i) => {
    if (found.length >= kept.length || !unclear[i]) return found;
    // Only as many are kept as are missing, because another one may be an entry whose record changed.
    return [...found, ...without(kept, found).slice(0, kept.length - found.length)].toSorted();
  });
  return { version: version.id, observed, undecided: new Set(unclear.flatMap((is, i) => (is ? [i] : []))) };
}

/** Returns the texts that `others` does not have, each as often as it occurs more often in `all`. */
function without(all: readonly string[], others: readonly string[]): readonly string[] {
  const rest = [...others];
  return all.filter((one) => {
    const at = rest.indexOf(one);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

/**
 * Returns the sorted hashes of the records of entries. The hashes do not include ids: some lists number their rows anew in each version,
 * and the others have the id in the record, too. They include neither the order in which a list prints names, programmes and countries, nor
 * the spelling of texts (`descriptionKeys`), nor `SanctionsEntry.details`: an edited address or remark changes nothing about the listing.
 * @param stored hashes of the company. Earlier versions stored hashes with the order or the spelling as printed, which an unchanged record
 * keeps.
 */
export const fingerprints = (entries: readonly ListEntry<unknown>[], stored: ReadonlySet<string> = new Set()): readonly string[] =>
  entries
    .map(({ record }) => {
      const ofEarlierVersions = stored.size === 0 ? [] : [hashOf(record, withoutDetails), hashOf(record, withoutOrder)];
      return ofEarlierVersions.find((hash) => stored.has(hash)) ?? hashOf(record, withoutSpelling);
    })
    .toSorted();

type Replacer = (key: string, value: unknown) => unknown;

const hashOf = (record: unknown, replacer: Replacer): string =>
  createHash('sha256').update(JSON.stringify(record, replacer)).digest('base64url').slice(0, 22);

const withoutDetails: Replacer = (key, value) => (key === 'details' ? undefined : value);

const withoutOrder: Replacer = (key, value) =>
  Array.isArray(value)
    ? value.toSorted((one, other) => compareTexts(JSON.stringify(one), JSON.stringify(other)))
    : withoutDetails(key, value);

const withoutSpelling: Replacer = (key, value) => {
  if (typeof value === 'string') return descriptionKeys(value)[0];
  if (!Array.isArray(value)) return withoutDetails(key, value);
  const keyed = value.map((one): readonly [string, unknown] => [descriptionKeys(JSON.stringify(one))[0], one]);
  return keyed.toSorted(([one], [other]) => compareTexts(one, other)).map(([, one]) => one);
};

const compareTexts = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/**
 * Finds the candidates of companies on a list: all names in one pass over the index, in slices so that other requests run in between. An
 * entry that has ended is no candidate, as in the answers. Returns null while the names of the current version are not indexed.
 */
async function observeCandidates(
  source: RegistrySource<SanctionsEntry>,
  companies: readonly CompanyListEntries[],
  { use, now }: ObservationTime,
): Promise<ListObservation | null> {
  const [{ version }, view] = await Promise.all([use(source).lookup([]), use(source).view(nameView)]);
  if (view.version.id !== version.id) return null;
  const names = [...new Set(companies.flatMap((company) => company.names))];
  const found = await searchNames(names, source.name as SanctionsList, view);
  const today = isoDate(now());
  const byName = new Map(names.map((name, i) => [name, (found[i] ?? []).filter((candidate) => isInForce(candidate, today))]));
  const candidatesOf = (company: CompanyListEntries) => bestCandidates(company.names.flatMap((name) => byName.get(name) ?? []));
  const observed = companies.map((company) => candidatesOf(company).map(recordText).toSorted());
  return { version: version.id, observed, undecided: new Set() };
}
