import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { SourceName } from '../../../domain/catalogue.ts';
import { type CompanyKey, companyKeyText, legalPersonText } from '../../../domain/company.ts';
import type { ServiceDeps } from '../../../service.ts';
import type { ListEntry, RegistrySource } from '../../../sources/registry/registry.ts';
import { debarmentSources } from '../../debarment/source.ts';
import { trabalhoEscravo } from '../../labor/source.ts';
import { sanctionsSources } from '../../sanctions/sources/lists.ts';
import { type DetectedChange, diffListEntries, sameEntries, type WatchedList } from '../domain/change.ts';
import {
  type CompanyListEntries,
  comparedVersions,
  type ListComparison,
  lockListEntries,
  openComparison,
  pageListEntries,
  saveComparison,
} from '../store/list-entries.ts';
import { acceptAsSnapshot } from '../store/watched-companies.ts';
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
  /** Compares the watched companies with the current list version, unless that is done, until all are compared or `signal` aborts. */
  compare(list: SourceName, signal: AbortSignal): Promise<void>;
  /** Legal person → entries in every list that can be read now. */
  baseline(companies: readonly CompanyKey[]): Promise<ReadonlyMap<string, Listings>>;
}

/** Companies per lookup and transaction. */
const PAGE_SIZE = 500;

export interface ListCheckDeps extends Pick<ServiceDeps, 'db' | 'use' | 'log' | 'now'> {
  readonly quarantine: Pick<Quarantine, 'isMassChange' | 'hold' | 'remove'>;
}

export const createListChecks = (deps: ListCheckDeps): ListChecks => ({
  async pending() {
    const compared = await comparedVersions(deps.db);
    return LISTS.flatMap(({ list, source }) => {
      const version = deps.use(source).version();
      return version === null || version === compared.get(list)?.version ? [] : [list];
    });
  },

  async compare(name, signal) {
    const list = LISTS.find((one) => one.list === name);
    if (list) await compareVersion(list, deps, signal);
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

/** Compares page by page, each in a transaction of its own. After an interruption, the next call continues. */
async function compareVersion(list: ListSource, deps: ListCheckDeps, signal: AbortSignal): Promise<void> {
  const { db, use, log } = deps;
  const copy = use(list.source);
  const { schemaVersion } = copy.spec;
  const compared = (await comparedVersions(db)).get(list.list);
  const current = await copy.lookup([]).catch(() => null); // the list is overdue, as its status shows: a later version follows
  if (!current || current.version.id === compared?.version) return;
  const isComparable = compared === undefined || compared.schemaVersion === schemaVersion;
  let comparison: ListComparison | null = await openComparison(db, list.list, { version: current.version.id, schemaVersion });
  do {
    const page = await readPage(list, comparison, isComparable, deps);
    const next = await nextStep(list, comparison, page, deps);
    await db.transaction((trx) => applyPage(trx, list.list, { from: comparison as ListComparison, to: next, page }, deps));
    comparison = next;
  } while (comparison && !signal.aborted);
  if (comparison === null) log.info({ list: list.list }, 'a list version was compared with the watched companies');
}

/** Watched companies, compared. */
interface ComparedPage {
  readonly companies: readonly CompanyKey[];
  readonly changes: readonly ListChange[];
  /** Without a change that is published: their entries are stored only. */
  readonly silent: readonly Comparison[];
}

/** @throws Error when the list version changed meanwhile: the job is retried */
async function readPage(
  { list, field, source }: ListSource,
  { after, version: expected }: ListComparison,
  isComparable: boolean,
  { db, use }: Pick<ListCheckDeps, 'db' | 'use'>,
): Promise<ComparedPage> {
  const known = await pageListEntries(db, list, { after, limit: PAGE_SIZE });
  const { version, entries } = await use(source).lookup([...new Set(known.map(({ legalPerson }) => legalPerson))]);
  if (version.id !== expected) throw new Error(`the version of ${list} changed during the comparison`);
  const comparisons = known.map((one) => ({ ...one, observed: fingerprints(entries.get(one.legalPerson) ?? []) }));
  return {
    companies: known.map(({ company }) => company),
    changes: isComparable ? comparisons.flatMap((comparison) => detectListChanges({ list, field }, comparison)) : [],
    silent: comparisons.filter((comparison) => !isComparable || isSilent(comparison)),
  };
}

/** Where the comparison is after a page; null when it is complete. */
async function nextStep(
  { list, field }: WatchedList,
  from: ListComparison,
  { companies, changes }: ComparedPage,
  { db, quarantine, now }: Pick<ListCheckDeps, 'db' | 'quarantine' | 'now'>,
): Promise<ListComparison | null> {
  const isCounting = from.phase === 'count';
  const checked = from.checked + (isCounting ? companies.length : 0);
  const changed = from.changed + (isCounting ? changes.length : 0);
  if (companies.length === PAGE_SIZE) return { ...from, after: companies.at(-1) ?? null, checked, changed };
  if (!isCounting || changed === 0) return null;
  const isMass = await quarantine.isMassChange(db, { source: list, field, checked, changed, now: now() });
  return { ...from, phase: isMass ? 'hold' : 'publish', after: null, checked, changed };
}

/** Stores what a page adds, unless another process has done so. The changes of a page are published once. */
async function applyPage(
  trx: Knex,
  list: SourceName,
  { from, to, page }: { readonly from: ListComparison; readonly to: ListComparison | null; readonly page: ComparedPage },
  { quarantine, now }: Pick<ListCheckDeps, 'quarantine' | 'now'>,
): Promise<void> {
  if (!(await saveComparison(trx, list, from, to))) throw new Error(`another process compares ${list}`);
  if (from.phase === 'count') {
    await acceptSilently(trx, list, page.silent);
    const changed = new Set(page.changes.map(({ company }) => companyKeyText(company)));
    return quarantine.remove(
      trx,
      list,
      page.companies.filter((company) => !changed.has(companyKeyText(company))),
    );
  }
  const changes = await lockUnchanged(trx, list, page.changes);
  if (from.phase === 'hold') return quarantine.hold(trx, changes, now());
  await quarantine.remove(
    trx,
    list,
    changes.map(({ company }) => company),
  );
  await acceptAsSnapshot(trx, changes);
  await publish(trx, changes, now());
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
async function acceptSilently(trx: Knex, source: SourceName, page: readonly Comparison[]): Promise<void> {
  if (page.length === 0) return;
  await lockListEntries(
    trx,
    source,
    page.map(({ company }) => company),
  );
  await acceptAsSnapshot(
    trx,
    page.map(({ company, observed }) => ({ company, source, fields: [], observed })),
  );
}

/** Locks the companies of `changes`. @returns the changes of companies that still have the entries from before the change */
async function lockUnchanged(trx: Knex, list: SourceName, changes: readonly ListChange[]): Promise<readonly ListChange[]> {
  const locked = await lockListEntries(
    trx,
    list,
    changes.map(({ company }) => company),
  );
  const entries = new Map(locked.map((one) => [companyKeyText(one.company), one.entries]));
  return changes.filter(({ company, before }) => sameEntries(entries.get(companyKeyText(company)) ?? [''], before));
}
