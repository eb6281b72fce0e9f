import type { Knex } from 'knex';
import { type CompanyKey, type Country, companyKeyText, legalPersonText } from '../../../domain/company.ts';
import type { ServiceDeps } from '../../../service.ts';
import type { Use } from '../../../sources/source.ts';
import { CANDIDATE, type DetectedChange, type ObservationKey } from '../domain/change.ts';
import type { CompanyListEntries, WatchedList } from '../domain/list-changes.ts';
import { companiesWithoutBaseline, forgetComparison, isOptional, nextWithoutBaseline, settleBaseline } from '../store/chosen-lists.ts';
import { type Batch, forgetUncompared, lockListEntries, pageListEntries, settleCandidates } from '../store/list-entries.ts';
import { lockWatchList } from '../store/monitors.ts';
import { acceptAsSnapshot } from '../store/watched-companies.ts';
import { COMPARISONS, fingerprints, LISTS, type ListSource, type ObservationTime } from './compared-lists.ts';

/*
 * Baselines: the entries and candidates of companies that are stored without a change. A company has none before its first comparison with a
 * list.
 */

/** Companies per lookup and transaction. */
export const PAGE_SIZE = 500;

/** Parts that store baselines. */
type BaselineDeps = Pick<ServiceDeps, 'db' | 'use' | 'now'>;

/** List → fingerprints of its entries. */
export type Listings = Readonly<Record<string, readonly string[]>>;

/** Returns the lists for all accounts about companies of a country. */
export const listsAbout = (country: Country): readonly ListSource[] =>
  LISTS.filter((one) => one.country === null || one.country === country);

/** Reads the entries of the legal persons of companies of a country in every list about this country that can be read now. */
export async function readBaseline(country: Country, companies: readonly CompanyKey[], use: Use): Promise<ReadonlyMap<string, Listings>> {
  const persons = [...new Set(companies.map(legalPersonText))];
  const lists = listsAbout(country);
  const lookups = await Promise.allSettled(lists.map(({ source }) => use(source).lookup(persons)));
  const readable = lists.flatMap(({ list }, i) => {
    const lookup = lookups[i];
    return lookup?.status === 'fulfilled' ? [{ list, entries: lookup.value.entries }] : [];
  });
  const listingsOf = (person: string) => readable.map(({ list, entries }) => [list, fingerprints(entries.get(person) ?? [])] as const);
  return new Map(persons.map((person) => [person, Object.fromEntries(listingsOf(person))]));
}

/** A watched company and its entries in a list version. */
export interface Comparison extends CompanyListEntries {
  readonly observed: readonly string[];
  /** See `ListObservation.undecided`. */
  readonly isUndecided: boolean;
}

/** @throws Error when the list has another version */
export async function compareWith(
  { key, observe }: ListSource,
  companies: readonly CompanyListEntries[],
  version: string,
  time: ObservationTime,
): Promise<readonly Comparison[]> {
  const observation = await observe(companies, time);
  if (observation?.version !== version) throw new Error(`the version of ${key} changed during the comparison`);
  return companies.map((one, i) => ({ ...one, observed: observation.observed[i] ?? [], isUndecided: observation.undecided.has(i) }));
}

/** Stores the candidates of companies that a monitor has been comparing by name since the list's version was compared. */
export async function addBaselines(list: ListSource, version: string, deps: BaselineDeps, signal: AbortSignal): Promise<void> {
  if (isOptional(list.key)) return addChosenBaselines(list, version, deps, signal);
  if (list.field !== CANDIDATE) return;
  const { db } = deps;
  let isLast: boolean;
  do {
    const added = await pageListEntries(db, list.key, { after: null, limit: PAGE_SIZE, isNew: true, country: list.country });
    isLast = added.length < PAGE_SIZE;
    const page = await compareWith(list, added, version, deps);
    await db.transaction((trx) => acceptSilently(trx, list, page));
  } while (!isLast && !signal.aborted);
  if (isLast) await markCompared(deps);
}

/** Stores a baseline of the companies of monitors whose accounts have chosen the list, or that got companies, since it was compared. */
async function addChosenBaselines(list: ListSource, version: string, deps: BaselineDeps, signal: AbortSignal): Promise<void> {
  const { db } = deps;
  const { key } = list;
  let monitor = await nextWithoutBaseline(db, list, null);
  for (; monitor !== null && !signal.aborted; monitor = await nextWithoutBaseline(db, list, monitor)) {
    const id = monitor;
    const lacking = await companiesWithoutBaseline(db, key, id);
    const page = await compareWith(list, lacking, version, deps);
    await db.transaction(async (trx) => {
      const companies = page.map(({ company }) => company);
      const still = (await lockListEntries(trx, key, companies)).filter(({ entries }) => entries === null);
      const keys = new Set(still.map(({ company }) => companyKeyText(company)));
      await acceptSilently(
        trx,
        list,
        page.filter(({ company }) => keys.has(companyKeyText(company))),
      );
    });
    await db.transaction(async (trx) => {
      await lockWatchList(trx);
      await settleBaseline(trx, key, id);
    });
  }
}

/** Deletes what is stored of a list that no monitor compares any more. */
export async function forgetList(key: ObservationKey, { db }: Pick<BaselineDeps, 'db'>): Promise<void> {
  await eachPage((batch) => forgetUncompared(db, key, batch));
  await forgetComparison(db, key);
}

/** Marks the candidates of companies as not due when these companies have a baseline of each loaded list. */
export async function markCompared({ db, use }: Pick<BaselineDeps, 'db' | 'use'>): Promise<void> {
  const keys = COMPARISONS.filter(
    ({ key, field, source }) => field === CANDIDATE && !isOptional(key) && use(source).version() !== null,
  ).map(({ key }) => key);
  await eachPage((batch) =>
    db.transaction(async (trx) => {
      await lockWatchList(trx);
      return settleCandidates(trx, keys, batch);
    }),
  );
}

/** Repeats a change of companies, each page in a transaction of its own, so that none is locked for longer than a page takes. */
export async function eachPage(change: (batch: Batch) => Promise<CompanyKey | null>): Promise<void> {
  let after: CompanyKey | null = null;
  do after = await change({ after, limit: PAGE_SIZE });
  while (after);
}

/** Source and kind of the changes of a list. */
export const originOf = ({ list, field }: WatchedList): Pick<DetectedChange, 'source' | 'kind'> => ({
  source: list,
  ...(field === CANDIDATE && { kind: field }),
});

/** Stores the observed entries without publishing a change. */
export async function acceptSilently(trx: Knex, list: ListSource, page: readonly Comparison[]): Promise<void> {
  if (page.length === 0) return;
  await lockListEntries(
    trx,
    list.key,
    page.map(({ company }) => company),
  );
  await acceptAsSnapshot(
    trx,
    page.map(({ company, observed }) => ({ company, ...originOf(list), fields: [], observed })),
  );
}
