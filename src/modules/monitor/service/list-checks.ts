import { createHash } from 'node:crypto';
import type { SourceName } from '../../../domain/catalogue.ts';
import { type CompanyKey, companyKeyText, legalPersonText } from '../../../domain/company.ts';
import type { ServiceDeps } from '../../../service.ts';
import type { ListEntry, RegistrySource } from '../../../sources/registry/registry.ts';
import { debarmentSources } from '../../debarment/source.ts';
import { trabalhoEscravo } from '../../labor/source.ts';
import { sanctionsSources } from '../../sanctions/sources/lists.ts';
import { type DetectedChange, diffListEntries, sameEntries, type WatchedList } from '../domain/change.ts';
import { type CompanyListEntries, comparedVersions, lockListEntries, pageListEntries, saveComparedVersion } from '../store/list-entries.ts';
import { acceptAsSnapshot, countWatched } from '../store/watched-companies.ts';
import { publish } from './publish.ts';
import type { Quarantine } from './quarantine.ts';

/** Name of the job that compares the watched companies with a list version. */
export const CHECK_LIST = 'monitor.list';

/** A watched list and its source. */
interface ListSource extends WatchedList {
  readonly source: RegistrySource<unknown>;
}

const listsOf = (field: ListSource['field'], sources: readonly RegistrySource<unknown>[]): readonly ListSource[] =>
  sources.map((source) => ({ list: source.name, field, source }));

/** Every watched list. A list added to one of these modules is watched without a change here. */
export const LISTS: readonly ListSource[] = [
  ...listsOf('debarment', debarmentSources),
  ...listsOf('sanctions', sanctionsSources),
  ...listsOf('labor', [trabalhoEscravo]),
];

/** List → fingerprints of its entries. */
export type Listings = Readonly<Record<string, readonly string[]>>;

/** Detects changes in published lists by comparing the watched companies with each new list version. */
export interface ListChecks {
  /** Lists with a current version that was not compared yet. */
  pending(): Promise<readonly SourceName[]>;
  /** Compares every watched company with the current list version, unless that is done. */
  compare(list: SourceName): Promise<void>;
  /** Legal person → entries in every list that can be read now. */
  baseline(companies: readonly CompanyKey[]): Promise<ReadonlyMap<string, Listings>>;
}

/** Companies per lookup. */
const PAGE_SIZE = 1_000;
/** Published changes per transaction. */
const BATCH_SIZE = 500;

export interface ListCheckDeps extends Pick<ServiceDeps, 'db' | 'use' | 'log' | 'now'> {
  readonly quarantine: Pick<Quarantine, 'filterMassChanges'>;
}

export const createListChecks = (deps: ListCheckDeps): ListChecks => ({
  async pending() {
    const compared = await comparedVersions(deps.db);
    return LISTS.flatMap(({ list, source }) => {
      const version = deps.use(source).version();
      return version === null || version === compared.get(list)?.version ? [] : [list];
    });
  },

  async compare(name) {
    const list = LISTS.find((one) => one.list === name);
    if (list) await compareVersion(list, deps);
  },

  async baseline(companies) {
    const persons = [...new Set(companies.map(legalPersonText))];
    if (persons.length === 0) return new Map();
    const lookups = await Promise.allSettled(LISTS.map(({ source }) => deps.use(source).lookup(persons)));
    const readable = LISTS.flatMap(({ list }, i) => {
      const lookup = lookups[i];
      return lookup?.status === 'fulfilled' ? [{ list, entries: lookup.value.entries }] : [];
    });
    const listingsOf = (person: string) => readable.map(({ list, entries }) => [list, fingerprints(entries.get(person) ?? [])] as const);
    return new Map(persons.map((person) => [person, Object.fromEntries(listingsOf(person))]));
  },
});

/**
 * Entries → a sorted list of hashes of their records. Ids are left out: some lists number their rows anew in each version, and the
 * others have the id in the record, too.
 */
const fingerprints = (entries: readonly ListEntry<unknown>[]): readonly string[] =>
  entries.map(({ record }) => createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 22)).toSorted();

/** A watched company and its entries in a list version. */
interface Comparison extends CompanyListEntries {
  readonly observed: readonly string[];
}

/** A change of a list, with the entries before it. */
interface ListChange extends DetectedChange {
  readonly before: readonly string[];
}

async function compareVersion(list: ListSource, deps: ListCheckDeps): Promise<void> {
  const { db, use, log } = deps;
  const copy = use(list.source);
  const { schemaVersion } = copy.spec;
  const compared = (await comparedVersions(db)).get(list.list);
  const current = await copy.lookup([]).catch(() => null); // the list is overdue, as its status shows: a later version follows
  if (!current || current.version.id === compared?.version) return;
  const version = current.version.id;
  const isComparable = compared === undefined || compared.schemaVersion === schemaVersion;
  const checked: CompanyKey[] = [];
  const changes: ListChange[] = [];
  for await (const page of comparisons(list, version, deps)) {
    checked.push(...page.map(({ company }) => company));
    if (isComparable) changes.push(...page.flatMap((comparison) => detectListChanges(list, comparison)));
    await acceptSilently(
      db,
      list.list,
      page.filter((comparison) => !isComparable || isSilent(comparison)),
    );
  }
  await publishListChanges(list.list, { checked, changes }, deps);
  await saveComparedVersion(db, list.list, { version, schemaVersion });
  log.info({ list: list.list, companies: changes.length }, 'a list version was compared with the watched companies');
}

/** All watched companies in pages. @throws Error when the list version changes meanwhile: the job is retried */
async function* comparisons(
  { list, source }: ListSource,
  expected: string,
  { db, use }: Pick<ListCheckDeps, 'db' | 'use'>,
): AsyncGenerator<readonly Comparison[]> {
  for (let after: CompanyKey | null = null; ; ) {
    const page: readonly CompanyListEntries[] = await pageListEntries(db, list, { after, limit: PAGE_SIZE });
    const { version, entries } = await use(source).lookup([...new Set(page.map(({ legalPerson }) => legalPerson))]);
    if (version.id !== expected) throw new Error(`the version of ${list} changed during the comparison`);
    yield page.map((known) => ({ ...known, observed: fingerprints(entries.get(known.legalPerson) ?? []) }));
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)?.company ?? null;
  }
}

/** True for a first comparison, and for a list that reverts to the entries before a discarded change. */
const isSilent = ({ entries, ignored, observed }: Comparison): boolean =>
  entries === null || (ignored !== null && sameEntries(entries, observed));

function detectListChanges(list: WatchedList, { company, entries, ignored, observed }: Comparison): readonly ListChange[] {
  if (entries === null || (ignored && sameEntries(ignored, observed))) return [];
  const fields = diffListEntries(list, entries, observed);
  return fields.length === 0 ? [] : [{ company, source: list.list, fields, observed, before: entries }];
}

/** Stores the observed entries without publishing a change. */
const acceptSilently = (db: ServiceDeps['db'], source: SourceName, page: readonly Comparison[]): Promise<void> =>
  db.transaction(async (trx) => {
    await lockListEntries(
      trx,
      source,
      page.map(({ company }) => company),
    );
    await acceptAsSnapshot(
      trx,
      page.map(({ company, observed }) => ({ company, source, fields: [], observed })),
    );
  });

/** Publishes the changes that pass the guard, each once: a retry skips companies that already have the new entries. */
async function publishListChanges(
  list: SourceName,
  { checked, changes }: { readonly checked: readonly CompanyKey[]; readonly changes: readonly ListChange[] },
  { db, quarantine, now }: Pick<ListCheckDeps, 'db' | 'quarantine' | 'now'>,
): Promise<void> {
  const published = await db.transaction(async (trx) => {
    const current = await lockUnchanged(trx, list, changes);
    return quarantine.filterMassChanges(trx, {
      source: list,
      checked,
      watched: () => countWatched(trx),
      changes: current,
      now: now(),
    });
  });
  const passed = new Set(published.map(({ company }) => companyKeyText(company)));
  const remaining = changes.filter(({ company }) => passed.has(companyKeyText(company)));
  for (let start = 0; start < remaining.length; start += BATCH_SIZE) {
    await db.transaction(async (trx) => {
      const current = await lockUnchanged(trx, list, remaining.slice(start, start + BATCH_SIZE));
      await acceptAsSnapshot(trx, current);
      await publish(trx, current, now());
    });
  }
}

/** Locks the companies of `changes`. @returns the changes of companies that still have the entries from before the change */
async function lockUnchanged(trx: ServiceDeps['db'], list: SourceName, changes: readonly ListChange[]): Promise<readonly ListChange[]> {
  const locked = await lockListEntries(
    trx,
    list,
    changes.map(({ company }) => company),
  );
  const entries = new Map(locked.map((one) => [companyKeyText(one.company), one.entries]));
  return changes.filter(({ company, before }) => sameEntries(entries.get(companyKeyText(company)) ?? [''], before));
}
