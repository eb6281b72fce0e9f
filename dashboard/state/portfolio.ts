import { QuipuError } from '../../clients/typescript/src/error.ts';
import { type Answer, type Client, requireData } from '../api/client.ts';
import { Candidates, type Country, Names, Verdicts, WatchedCompanies } from '../api/operations.ts';
import { batches } from './batches.ts';
import { companyId, type DashboardState, type NameGap, nameGapOf, type WatchedCompany, withCompanies } from './model.ts';
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
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Reads the tax ids of the watched companies by country, each spelling once. */
  async function readIdentifiers(): Promise<ReadonlyMap<Country, readonly string[]>> {
    const monitors = Map.groupBy(await readMonitors(client, closed.signal), ({ country }) => country);
    return new Map([...monitors].map(([country, those]) => [country, [...new Set(those.flatMap(({ identifiers }) => identifiers))]]));
  }

  /** Puts the watched companies into the state, with the known data about them, and removes all others. It is not counted. */
  async function readWatched(byCountry: ReadonlyMap<Country, readonly string[]>): Promise<void> {
    const companies: WatchedCompanies['companies'][number][] = [];
    for (const [country, all] of byCountry)
      for (const identifiers of batches(all, IDENTIFIERS))
        companies.push(...requireData(await client.ask(WatchedCompanies, { identifiers, country }, closed.signal)).companies);
    const watched = companies.filter((company) => company !== null);
    store.set((state) => {
      const read = watched.map(({ tags, ...company }) => ({
        ...(state.companies.get(companyId(company)) ?? NOTHING_READ),
        ...company,
        tags: tags ?? [],
      }));
      const next = withCompanies({ ...state, companies: new Map() }, read);
      return { ...next, watched: next.companies.size }; // monitors may spell one tax id differently
    });
  }

  async function readNames(country: Country, identifiers: readonly string[]): Promise<void> {
    const answer = await client.ask(Names, { country, identifiers }, closed.signal);
    const companies = requireData(answer).companies.filter((company) => company !== null);
    const gaps = new Map(answer.errors.map(({ path, code }) => [path[1], nameGapOf(code)]));
    update(companies, (before, { identifier, name }) => {
      const gap = gaps.get(identifiers.indexOf(identifier)) ?? null;
      return { ...before, ...named(before, name, gap), isOutdated: false, readAt: Date.now() };
    });
    throwIfLimited(answer);
  }

  /**
   * Reads verdicts. A company whose check was refused keeps its last one.
   * @throws QuipuError when the operation failed, or was rate-limited in part
   */
  async function readVerdicts(country: Country, identifiers: readonly string[]): Promise<void> {
    const { language } = client.options;
    const answer = await client.ask(Verdicts, { country, identifiers }, closed.signal);
    const companies = requireData(answer).companies.filter((company) => company !== null);
    update(companies, (before, { compliance }) => {
      if (!compliance) return before;
      const { checks, ...verdict } = compliance;
      const candidates = checks.sanctions?.possibleMatches ?? null;
      const name = named(before, checks.kyb?.companyName ?? null, checks.kyb ? null : 'REGISTRY');
      return { ...before, ...name, verdict, candidates, language, isOutdated: false, readAt: Date.now() };
    });
    throwIfLimited(answer);
  }

  async function readCandidates(country: Country, identifiers: readonly string[]): Promise<void> {
    const { language } = client.options;
    const answer = await client.ask(Candidates, { country, identifiers }, closed.signal);
    const companies = requireData(answer).companies.filter((company) => company !== null);
    update(companies, (before, { sanctions }) =>
      sanctions?.possibleMatches ? { ...before, candidates: sanctions.possibleMatches, language } : before,
    );
    throwIfLimited(answer);
  }

  /** Updates the companies in an answer. */
  function update<Read extends Pick<WatchedCompany, 'country' | 'identifier'>>(
    companies: readonly Read[],
    change: (before: WatchedCompany, read: Read) => WatchedCompany,
  ): void {
    store.set((state) =>
      withCompanies(
        state,
        companies.flatMap((company) => {
          const before = state.companies.get(companyId(company));
          return before ? [change(before, company)] : [];
        }),
      ),
    );
  }

  /** Reads companies that were not read. Their rows and counts show meanwhile that they are being read. */
  async function reading(work: () => Promise<void>): Promise<void> {
    store.set((state) => ({ ...state, isReading: true }));
    await work();
    store.set((state) => ({ ...state, isReading: false }));
  }

  async function loadAll(): Promise<void> {
    try {
      const identifiers = await readIdentifiers();
      const watched = [...identifiers.values()].reduce((sum, { length }) => sum + length, 0);
      store.set((state) => ({ ...state, watched }));
      await readWatched(identifiers);
    } catch (error) {
      return retry(error);
    }
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
    if (!(error instanceof QuipuError) || closed.signal.aborted) return;
    store.set((state) => ({ ...state, problem: error }));
    if (error.isRetryable) later((error.retryAfter ?? RETRY_SECONDS) * 1_000, () => void load());
  }

  const later = (ms: number, work: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };

  const outdated = (): readonly WatchedCompany[] => [...store.get().companies.values()].filter(({ isOutdated }) => isOutdated);

  const refresh = (): void =>
    later(REFRESH_MS, () => {
      if (outdated().length > 0) void assess(outdated());
    });

  const load = (): Promise<void> => reading(loadAll);

  return {
    load,
    refresh,
    assessMore: () => reading(() => assess(unread(store.get()).slice(0, READ_AT_ONCE))),
    compareMore: () => readEach(uncompared(store.get()).slice(0, READ_AT_ONCE), () => readCandidates),
    close() {
      closed.abort();
      clearTimeout(timer);
    },
  };
}

/** Sets the name. An earlier name stays while it cannot be read again. */
const named = (before: WatchedCompany, name: string | null, gap: NameGap | null): Pick<WatchedCompany, 'name' | 'nameGap'> =>
  name === null && gap !== null && before.name !== null ? { name: before.name, nameGap: null } : { name, nameGap: gap };

const NOTHING_READ = { name: null, nameGap: null, verdict: null, candidates: null, readAt: null, isOutdated: false } as const;

/** @throws QuipuError RATE_LIMITED if a part of the answer was refused by a rate limit */
function throwIfLimited({ errors }: Answer<unknown>): void {
  const limited = errors.find(({ code }) => code === 'RATE_LIMITED');
  if (limited) throw limited;
}
