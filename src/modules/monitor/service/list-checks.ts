import type { Knex } from 'knex';
import { type CompanyKey, type Country, companyKeyText } from '../../../domain/company.ts';
import type { ServiceDeps } from '../../../service.ts';
import { CANDIDATE, type DetectedChange, type ObservationKey } from '../domain/change.ts';
import { diffCandidates, diffListEntries, sameEntries, type WatchedList } from '../domain/list-changes.ts';
import { dropBaselines, isOptional, readChosenKeys } from '../store/chosen-lists.ts';
import {
  areCandidatesDue,
  comparedVersions,
  forgetUncompared,
  hasCandidateMonitors,
  type ListComparison,
  lockListEntries,
  openComparison,
  pageListEntries,
  saveComparison,
} from '../store/list-entries.ts';
import { acceptAsSnapshot } from '../store/watched-companies.ts';
import { COMPARISONS, type ListSource } from './compared-lists.ts';
import {
  acceptSilently,
  addBaselines,
  type Comparison,
  compareWith,
  eachPage,
  forgetList,
  type Listings,
  listsAbout,
  markCompared,
  originOf,
  PAGE_SIZE,
  readBaseline,
} from './list-baselines.ts';
import { publish } from './publish.ts';
import type { Quarantine } from './quarantine.ts';

/** Name of the job that compares the watched companies with a list version. */
export const CHECK_LIST = 'monitor.list';

/** Detects changes in published lists by comparing the watched companies with each new list version. */
export interface ListChecks {
  /**
   * Returns the comparisons that are due: lists with a current version that was not compared yet, and those of which companies lack a
   * baseline. Lists that accounts choose are due only while a monitor of such an account is active.
   */
  pending(): Promise<readonly ObservationKey[]>;
  /** Compares the watched companies with the current list version, unless that is done, until all are compared or `signal` aborts. */
  compare(key: ObservationKey, signal: AbortSignal): Promise<void>;
  /** Returns the lists for all accounts about companies of a country that have a version. */
  loaded(country: Country): readonly ObservationKey[];
  /** Returns the entries of legal persons in every list for all accounts that can be read now. */
  baseline(companies: readonly CompanyKey[]): Promise<ReadonlyMap<string, Listings>>;
}

export interface ListCheckDeps extends Pick<ServiceDeps, 'db' | 'use' | 'log' | 'now'> {
  readonly quarantine: Pick<Quarantine, 'isMassChange' | 'hold' | 'remove'>;
}

export const createListChecks = (deps: ListCheckDeps): ListChecks => ({
  async pending() {
    const { db, use } = deps;
    const compared = await comparedVersions(db);
    const loaded = COMPARISONS.filter(({ source }) => use(source).version() !== null);
    const hasCandidates = await hasCandidateMonitors(db);
    const lacksBaselines = hasCandidates && (await areCandidatesDue(db));
    await dropBaselines(db);
    const chosen = await readChosenKeys(
      db,
      loaded.filter(({ key }) => isOptional(key)),
    );
    const isDue = ({ key, field, source }: ListSource) => {
      const isNewVersion = use(source).version() !== compared.get(key)?.version;
      // The entries of a list that nobody chooses any more are deleted, and the candidates if no monitor reports them any more.
      if (isOptional(key)) return chosen.has(key) ? isNewVersion || chosen.get(key) === true : compared.has(key);
      if (field !== CANDIDATE) return isNewVersion;
      return hasCandidates ? isNewVersion || lacksBaselines : compared.has(key);
    };
    return loaded.filter(isDue).map(({ key }) => key);
  },

  async compare(key, signal) {
    const list = COMPARISONS.find((one) => one.key === key);
    if (list) await compareVersion(list, deps, signal);
  },

  loaded(country) {
    return listsAbout(country).flatMap(({ key, source }) => (deps.use(source).version() === null ? [] : [key]));
  },

  async baseline(companies) {
    const byCountry = [...Map.groupBy(companies, ({ country }) => country)];
    const parts = await Promise.all(byCountry.map(([country, some]) => readBaseline(country, some, deps.use)));
    return new Map(parts.flatMap((part) => [...part]));
  },
});

/** A change of a list, with the entries before it. */
interface ListChange extends DetectedChange {
  readonly before: readonly string[];
}

/** Compares page by page, each in a transaction of its own. After an interruption, the next call continues. */
async function compareVersion(list: ListSource, deps: ListCheckDeps, signal: AbortSignal): Promise<void> {
  const { db, log } = deps;
  const { key, schemaVersion } = list;
  if (!(await isCompared(list, db))) return forgetList(key, deps);
  const compared = (await comparedVersions(db)).get(key);
  const current = await list.observe([], deps).catch(() => null); // the list is overdue, as its status shows: a later version follows
  if (!current) return;
  if (current.version === compared?.version) return addBaselines(list, current.version, deps, signal);
  const isComparable = compared === undefined || compared.schemaVersion === schemaVersion;
  let comparison: ListComparison | null = await openComparison(db, key, { version: current.version, schemaVersion });
  do {
    const page = await readPage(list, comparison, isComparable, deps);
    const next = await nextStep(list, comparison, page, deps);
    // Before the last step, so that a comparison that is interrupted here does it again.
    if (next === null) await eachPage((batch) => forgetUncompared(db, key, batch));
    await db.transaction((trx) => applyPage(trx, list, { from: comparison as ListComparison, to: next, page }, deps));
    comparison = next;
  } while (comparison && !signal.aborted);
  if (comparison !== null) return;
  if (list.field === CANDIDATE && !isOptional(key)) await markCompared(deps);
  log.info({ list: key }, 'a list version was compared with the watched companies');
}

/** True if a monitor compares its companies with a list under its key. */
async function isCompared(list: ListSource, db: Knex): Promise<boolean> {
  if (isOptional(list.key)) return (await readChosenKeys(db, [list])).has(list.key);
  return list.field !== CANDIDATE || (await hasCandidateMonitors(db));
}

/** A page of watched companies after their comparison. */
interface ComparedPage {
  readonly companies: readonly CompanyKey[];
  readonly changes: readonly ListChange[];
  /** Companies whose held change ends: they have no change, and the version tells so. */
  readonly unchanged: readonly CompanyKey[];
  /** Companies without a change to publish. Only their entries are stored. */
  readonly silent: readonly Comparison[];
}

/** @throws Error when the list version changed meanwhile: the job is retried */
async function readPage(
  list: ListSource,
  { after, version }: ListComparison,
  isComparable: boolean,
  { db, use, now }: Pick<ListCheckDeps, 'db' | 'use' | 'now'>,
): Promise<ComparedPage> {
  const known = await pageListEntries(db, list.key, { after, limit: PAGE_SIZE, country: list.country });
  const comparisons = await compareWith(list, known, version, { use, now });
  const changes = isComparable ? comparisons.flatMap((comparison) => detectListChanges(list, comparison)) : [];
  const changed = new Set(changes.map(({ company }) => companyKeyText(company)));
  return {
    companies: known.map(({ company }) => company),
    changes,
    unchanged: comparisons.flatMap(({ company, isUndecided }) =>
      (isUndecided && isComparable) || changed.has(companyKeyText(company)) ? [] : [company],
    ),
    silent: comparisons.filter((comparison) => !isComparable || isSilent(list, comparison)),
  };
}

/** Returns the state of the comparison after a page; null when it is complete. */
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

/** Stores the results of a page, unless another process has done so. The changes of a page are published once. */
async function applyPage(
  trx: Knex,
  list: ListSource,
  { from, to, page }: { readonly from: ListComparison; readonly to: ListComparison | null; readonly page: ComparedPage },
  { quarantine, now }: Pick<ListCheckDeps, 'quarantine' | 'now'>,
): Promise<void> {
  const { key } = list;
  if (!(await saveComparison(trx, key, from, to))) throw new Error(`another process compares ${key}`);
  if (from.phase === 'count') {
    await acceptSilently(trx, list, page.silent);
    return quarantine.remove(trx, key, page.unchanged);
  }
  const changes = await lockUnchanged(trx, key, page.changes);
  if (from.phase === 'hold') return quarantine.hold(trx, changes, now());
  await quarantine.remove(
    trx,
    key,
    changes.map(({ company }) => company),
  );
  await acceptAsSnapshot(trx, changes);
  await publish(trx, changes, now());
}

/** True for a first comparison, for a list that reverts to the entries before a discarded change, and for candidates that disappeared. */
function isSilent(list: ListSource, comparison: Comparison): boolean {
  const { entries, ignored, observed, isUndecided } = comparison;
  if (entries === null) return true;
  if (list.field !== CANDIDATE) return ignored !== null && !isUndecided && sameEntries(entries, observed);
  return !sameEntries(ignored ?? entries, observed) && detectListChanges(list, comparison).length === 0;
}

function detectListChanges(list: WatchedList, { company, entries, ignored, observed }: Comparison): readonly ListChange[] {
  if (entries === null || (ignored && sameEntries(ignored, observed))) return [];
  const fields =
    list.field === CANDIDATE
      ? diffCandidates(list, { before: entries, ignored: ignored ?? [], after: observed })
      : diffListEntries(list, entries, observed);
  return fields.length === 0 ? [] : [{ company, ...originOf(list), fields, observed, before: entries }];
}

/** Locks the companies of `changes`. @returns the changes of companies that still have the entries from before the change */
async function lockUnchanged(trx: Knex, key: ObservationKey, changes: readonly ListChange[]): Promise<readonly ListChange[]> {
  const locked = await lockListEntries(
    trx,
    key,
    changes.map(({ company }) => company),
  );
  const entries = new Map(locked.map((one) => [companyKeyText(one.company), one.entries]));
  return changes.filter(({ company, before }) => sameEntries(entries.get(companyKeyText(company)) ?? [''], before));
}
