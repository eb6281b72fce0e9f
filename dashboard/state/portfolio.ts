import { type Answer, ApiError, type Client, requireData } from '../api/client.ts';
import { type Country, Monitors, Names, Verdicts } from '../api/operations.ts';
import { companyId, type DashboardState, type WatchedCompany, withCompanies } from './model.ts';
import type { Store } from './store.ts';

/** Verdicts that are read without a click: each counts on the key's plan. */
export const VERDICTS_AT_ONCE = 20;
/** Companies of one request. */
const BATCH = 20;
/** Pause between two refreshes, so that a burst of changes is one request. */
const REFRESH_MS = 1_000;
/** Without another word of the server. */
const RETRY_SECONDS = 5;

/** Reads the watched companies, their names and verdicts, and reads again the verdict of each company that changed. */
export interface Portfolio {
  load(): Promise<void>;
  /** Reads the next verdicts that were not read yet. */
  assessMore(): Promise<void>;
  /** Reads again the companies that changed. Returns at once. */
  refresh(): void;
  close(): void;
}

/** Countries that have the consolidated check. */
export const hasVerdict = (country: Country): boolean => country === 'BR';

export function createPortfolio(client: Client, store: Store<DashboardState>): Portfolio {
  const closed = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const canAssess = (): boolean => store.get().account?.modules.includes('COMPLIANCE_BR') ?? false;

  async function readMonitors(): Promise<ReadonlyMap<Country, readonly string[]>> {
    const byCountry = new Map<Country, Set<string>>();
    for (let after: string | null = null; ; ) {
      const answer: Answer<Monitors> = await client.ask(Monitors, { after }, closed.signal);
      const page: NonNullable<Monitors['monitors']> = requireData({ data: answer.data?.monitors ?? null, errors: answer.errors });
      for (const { country, identifiers } of page.nodes) {
        const known = byCountry.get(country) ?? new Set<string>();
        for (const identifier of identifiers) known.add(identifier);
        byCountry.set(country, known);
      }
      after = page.pageInfo.endCursor;
      if (!page.pageInfo.hasNextPage) break;
    }
    return new Map([...byCountry].map(([country, identifiers]) => [country, [...identifiers]]));
  }

  async function readNames(country: Country, identifiers: readonly string[]): Promise<void> {
    const answer = await client.ask(Names, { country, identifiers }, closed.signal);
    const companies = requireData(answer).companies.filter((company) => company !== null);
    store.set((state) =>
      withCompanies(
        state,
        companies.map((company) => ({ ...company, verdict: state.companies.get(companyId(company))?.verdict ?? null, isOutdated: false })),
      ),
    );
  }

  /** Reads verdicts. A company whose check was refused keeps its last one. @throws ApiError when the operation failed, or was rate-limited in part */
  async function readVerdicts(country: Country, identifiers: readonly string[]): Promise<void> {
    const answer = await client.ask(Verdicts, { country, identifiers }, closed.signal);
    const companies = requireData(answer).companies.filter((company) => company !== null);
    store.set((state) =>
      withCompanies(
        state,
        companies.map((company) => merged(state, company)),
      ),
    );
    const limited = answer.errors.find(({ code }) => code === 'RATE_LIMITED');
    if (limited) throw limited;
  }

  function merged(state: DashboardState, { compliance, name, ...company }: ReadCompany): WatchedCompany {
    const before = state.companies.get(companyId(company));
    return {
      ...company,
      name: name ?? before?.name ?? null,
      verdict: compliance ?? before?.verdict ?? null,
      isOutdated: compliance === null && (before?.isOutdated ?? false),
    };
  }

  async function read(country: Country, identifiers: readonly string[], withVerdicts: boolean): Promise<void> {
    for (const batch of batches(identifiers)) await (withVerdicts ? readVerdicts(country, batch) : readNames(country, batch));
  }

  async function load(): Promise<void> {
    try {
      const watched = await readMonitors();
      store.set((state) => ({ ...state, watched: [...watched.values()].reduce((sum, { length }) => sum + length, 0) }));
      for (const [country, identifiers] of watched) {
        const atOnce = hasVerdict(country) && canAssess() ? VERDICTS_AT_ONCE : 0;
        await read(country, identifiers.slice(0, atOnce), true);
        await read(country, identifiers.slice(atOnce), false);
      }
      store.set((state) => ({ ...state, problem: null }));
    } catch (error) {
      if (!(error instanceof ApiError) || closed.signal.aborted) return;
      store.set((state) => ({ ...state, problem: error }));
      later((error.retryAfterSeconds ?? RETRY_SECONDS) * 1_000, () => void load());
    }
  }

  async function assess(companies: readonly WatchedCompany[]): Promise<void> {
    try {
      for (const [country, those] of Map.groupBy(companies, ({ country }) => country))
        await read(
          country,
          those.map(({ identifier }) => identifier),
          hasVerdict(country) && canAssess(),
        );
      store.set((state) => ({ ...state, problem: null }));
    } catch (error) {
      if (!(error instanceof ApiError) || closed.signal.aborted) return;
      store.set((state) => ({ ...state, problem: error }));
      later((error.retryAfterSeconds ?? RETRY_SECONDS) * 1_000, refresh);
    }
  }

  const later = (ms: number, work: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };

  const refresh = (): void =>
    later(REFRESH_MS, () => {
      const outdated = [...store.get().companies.values()].filter(({ isOutdated }) => isOutdated);
      if (outdated.length > 0) void assess(outdated);
    });

  return {
    load,
    refresh,
    assessMore: () =>
      assess(
        [...store.get().companies.values()].filter(({ country, verdict }) => hasVerdict(country) && !verdict).slice(0, VERDICTS_AT_ONCE),
      ),
    close() {
      closed.abort();
      clearTimeout(timer);
    },
  };
}

type ReadCompany = NonNullable<Verdicts['companies'][number]>;

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH);
}
