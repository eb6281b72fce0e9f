import { type Answer, type Client, problemOf, requireData } from '../api/client.ts';
import { Candidates, type Country, Names, Verdicts, WatchedCompanies } from '../api/operations.ts';
import { batches } from './batches.ts';
import { withLaterDecisions } from './decided.ts';
import { companyId, type DashboardState, isNewerThan, type NameGap, nameGapOf, type WatchedCompany, withCompanies } from './model.ts';
import { readMonitors } from './monitors.ts';
import type { Store } from './store.ts';

/**
 * Number of companies that are read without a click, and by each click, because each counts on the key's plan. Companies that this browser
 * has stored are not read again.
 */
export const READ_AT_ONCE = 20;
/** Maximum number of tax ids of one request that is not counted. */
const IDENTIFIERS = 500;
/** Maximum number of companies of one request. */
const BATCH = 20;
/** Pause between two refreshes, so that a burst of changes is one request. */
const REFRESH_MS = 1_000;
/** Delay in seconds if the server states none. */
const RETRY_SECONDS = 5;

/** Reads the watched companies, their names and verdicts, and reads again the verdict of each company that changed. */
export interface Portfolio {
  load(): Promise<void>;
  /** Reads the next companies that were not yet read. */
  assessMore(): Promise<void>;
  /** Compares the names of the next companies without a consolidated check. */
  compareMore(): Promise<void>;
  /** Reads the changed companies again. It returns at once. */
  refresh(): void;
  close(): void;
}

/** Returns true if the key has the module of the consolidated check of a country. */
export const canAssess = ({ account }: Pick<DashboardState, 'account'>, country: Country): boolean =>
  account?.modules.includes(country === 'BR' ? 'COMPLIANCE_BR' : 'COMPLIANCE') ?? false;

/** Returns the companies that were not read, or not assessed although the key has the module of their country. */
export const unread = (state: DashboardState): readonly WatchedCompany[] =>
  [...state.companies.values()].filter(({ country, readAt, verdict }) => readAt === null || (canAssess(state, country) && !verdict));

/** Returns the companies whose names were not compared with sanctions lists and will not be by a consolidated check. */
export const uncompared = (state: DashboardState): readonly WatchedCompany[] =>
  state.account?.modules.includes('SANCTIONS')
    ? [...state.companies.values()].filter(({ country, candidates }) => !candidates && !canAssess(state, country))
    : [];

export function createPortfolio(client: Client, store: Store<DashboardState>): Portfolio {
  const closed = new AbortController();
  let retrying: ReturnType<typeof setTimeout> | undefined;
  let refreshing: ReturnType<typeof setTimeout> | undefined;
  /** Number of loads that were started. Only the newest one changes which companies are watched. */
  let loads = 0;
  /** Number of readings under way. */
  let readings = 0;

  /** Reads the tax ids of the watched companies by country, each spelling once. */
  async function readIdentifiers(): Promise<ReadonlyMap<Country, readonly string[]>> {
    const monitors = Map.groupBy(await readMonitors(client, closed.signal), ({ country }) => country);
    return new Map([...monitors].map(([country, those]) => [country, [...new Set(those.flatMap(({ identifiers }) => identifiers))]]));
  }

  /** Puts the watched companies into the state, with the known data about them, and removes all others. It is not counted. */
  async function readWatched(byCountry: ReadonlyMap<Country, readonly string[]>, isNewest: () => boolean): Promise<void> {
    const companies: WatchedCompanies['companies'][number][] = [];
    const askedAt = Date.now();
    for (const [country, all] of byCountry)
      for (const identifiers of batches(all, IDENTIFIERS))
        companies.push(...requireData(await client.ask(WatchedCompanies, { identifiers, country }, closed.signal)).companies);
    const watched = companies.filter((company) => company !== null);
    if (!isNewest()) return;
    store.set((state) => {
      const read = watched.map(({ tags, lastChangeAt, ...company }) => {
        const before = state.companies.get(companyId(company));
        const isTagged = before !== undefined && (before.taggedAt ?? 0) >= askedAt;
        return {
          ...(before ?? NOTHING_READ),
          ...company,
          lastChangeAt: newerOf(before?.lastChangeAt ?? null, lastChangeAt),
          tags: isTagged ? before.tags : (tags ?? []),
        };
      });
      const next = withCompanies({ ...state, companies: new Map() }, read);
      return { ...next, watched: next.companies.size }; // monitors may spell one tax id differently
    });
  }

  async function readNames(country: Country, identifiers: readonly string[]): Promise<void> {
    const askedAt = Date.now();
    const answer = await client.ask(Names, { country, identifiers }, closed.signal);
    const companies = requireData(answer).companies.filter((company) => company !== null);
    const gaps = new Map(answer.errors.map(({ path, code }) => [path[1], nameGapOf(code)]));
    update(companies, (before, { identifier, name }) => {
      if (isOlder(askedAt, before.readAt)) return before;
      const gap = gaps.get(identifiers.indexOf(identifier)) ?? null;
      return { ...before, ...named(before, name, gap), isOutdated: false, readAt: askedAt };
    });
    throwIfLimited(answer);
  }

  /**
   * Reads verdicts. A company whose check was refused keeps its last one. A change that arrived meanwhile and is newer than the verdict
   * outdates it, and so does a decision about owners that was made meanwhile, so it is read again.
   * @throws QuipuError when the operation failed, or was rate-limited in part
   */
  async function readVerdicts(country: Country, identifiers: readonly string[]): Promise<void> {
    const { language } = client.options;
    const askedAt = Date.now();
    const known = new Set(store.get().changes);
    const answer = await client.ask(Verdicts, { country, identifiers }, closed.signal);
    const companies = requireData(answer).companies.filter((company) => company !== null);
    const arrived = Map.groupBy(
      store.get().changes.filter((change) => !known.has(change)),
      ({ company }) => companyId(company),
    );
    update(companies, (before, { compliance }, { decisions: log }) => {
      if (!compliance || isOlder(askedAt, before.readAt)) return before;
      const { checks, ...verdict } = compliance;
      const possible = checks.sanctions?.possibleMatches;
      const candidates = possible ? withLaterDecisions(possible, { company: before, log, askedAt }) : null;
      const name = named(before, checks.kyb?.companyName ?? null, checks.kyb ? null : 'REGISTRY');
      const isOutdated =
        decidedSince(before, askedAt) || (arrived.get(companyId(before)) ?? []).some((change) => isNewerThan(verdict, change));
      return { ...before, ...name, verdict, candidates, comparedAt: undefined, language, isOutdated, readAt: askedAt };
    });
    if (arrived.size > 0 || companies.some((one) => decidedSince(store.get().companies.get(companyId(one)), askedAt))) refresh();
    throwIfLimited(answer);
  }

  async function readCandidates(country: Country, identifiers: readonly string[]): Promise<void> {
    const { language } = client.options;
    const askedAt = Date.now();
    const answer = await client.ask(Candidates, { country, identifiers }, closed.signal);
    const companies = requireData(answer).companies.filter((company) => company !== null);
    update(companies, (before, { sanctions }, { decisions: log }) => {
      const possible = sanctions?.possibleMatches;
      if (!possible || isOlder(askedAt, before.comparedAt ?? null)) return before;
      return { ...before, candidates: withLaterDecisions(possible, { company: before, log, askedAt }), comparedAt: askedAt, language };
    });
    throwIfLimited(answer);
  }

  /** Updates the companies in an answer. */
  function update<Read extends Pick<WatchedCompany, 'country' | 'identifier'>>(
    companies: readonly Read[],
    change: (before: WatchedCompany, read: Read, state: DashboardState) => WatchedCompany,
  ): void {
    store.set((state) =>
      withCompanies(
        state,
        companies.flatMap((company) => {
          const before = state.companies.get(companyId(company));
          return before ? [change(before, company, state)] : [];
        }),
      ),
    );
  }

  /** Reads companies that were not read. Their rows and counts show meanwhile that they are being read. */
  async function reading(work: () => Promise<void>): Promise<void> {
    readings += 1;
    store.set((state) => ({ ...state, isReading: true }));
    try {
      await work();
    } finally {
      readings -= 1;
      store.set((state) => ({ ...state, isReading: readings > 0 }));
    }
  }

  async function loadAll(): Promise<void> {
    loads += 1;
    const load = loads;
    const isNewest = (): boolean => load === loads;
    try {
      await readWatched(await readIdentifiers(), isNewest);
    } catch (error) {
      if (isNewest()) retry(error);
      return;
    }
    if (!isNewest()) return;
    const first = new Set([...store.get().companies.values()].slice(0, READ_AT_ONCE));
    await assess([...unread(store.get()).filter((company) => first.has(company)), ...outdated()]);
  }

  const assess = (companies: readonly WatchedCompany[]): Promise<void> =>
    readEach(companies, (country) => (canAssess(store.get(), country) ? readVerdicts : readNames));

  /** Reads companies in batches of one country. */
  async function readEach(companies: readonly WatchedCompany[], readerOf: (country: Country) => typeof readNames): Promise<void> {
    try {
      for (const [country, those] of Map.groupBy(companies, ({ country }) => country))
        for (const batch of batches(those, BATCH))
          await readerOf(country)(
            country,
            batch.map(({ identifier }) => identifier),
          );
      store.set((state) => ({ ...state, problem: null }));
    } catch (error) {
      retry(error);
    }
    store.set((state) => ({ ...state, settled: [...state.companies.values()].filter(({ readAt }) => readAt !== null).length }));
  }

  function retry(error: unknown): void {
    if (closed.signal.aborted) return;
    const problem = problemOf(error);
    store.set((state) => ({ ...state, problem }));
    clearTimeout(retrying);
    if (problem.isRetryable) retrying = setTimeout(() => void load(), (problem.retryAfter ?? RETRY_SECONDS) * 1_000);
  }

  const outdated = (): readonly WatchedCompany[] => [...store.get().companies.values()].filter(({ isOutdated }) => isOutdated);

  function refresh(): void {
    clearTimeout(refreshing);
    refreshing = setTimeout(() => {
      if (outdated().length > 0) void assess(outdated());
    }, REFRESH_MS);
  }

  const load = (): Promise<void> => {
    clearTimeout(retrying);
    return reading(loadAll);
  };

  return {
    load,
    refresh,
    assessMore: () => reading(() => assess(unread(store.get()).slice(0, READ_AT_ONCE))),
    compareMore: () => readEach(uncompared(store.get()).slice(0, READ_AT_ONCE), () => readCandidates),
    close() {
      closed.abort();
      clearTimeout(retrying);
      clearTimeout(refreshing);
    },
  };
}

/** True for an answer that was asked for before the one that is known. It may arrive later. */
const isOlder = (askedAt: number, knownAt: number | null): boolean => knownAt !== null && askedAt < knownAt;

/** True if owners of the company were decided about after an answer was asked for, so that its numbers may lack the decision. */
const decidedSince = (company: WatchedCompany | undefined, askedAt: number): boolean => (company?.ownersDecidedAt ?? 0) >= askedAt;

/** Returns the newer of two moments in ISO text; null for none. */
const newerOf = (one: string | null, other: string | null): string | null =>
  one !== null && (other === null || Date.parse(one) > Date.parse(other)) ? one : other;

/** Sets the name. An earlier name stays while it cannot be read again. */
const named = (before: WatchedCompany, name: string | null, gap: NameGap | null): Pick<WatchedCompany, 'name' | 'nameGap'> =>
  name === null && gap !== null && before.name !== null ? { name: before.name, nameGap: null } : { name, nameGap: gap };

const NOTHING_READ = { name: null, nameGap: null, verdict: null, candidates: null, readAt: null, isOutdated: false } as const;

/** @throws QuipuError RATE_LIMITED if a part of the answer was refused by a rate limit */
function throwIfLimited({ errors }: Answer<unknown>): void {
  const limited = errors.find(({ code }) => code === 'RATE_LIMITED');
  if (limited) throw limited;
}
