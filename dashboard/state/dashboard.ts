import { QuipuError } from '../../clients/typescript/src/error.ts';
import { type Client, createClient, problemOf, requireData } from '../api/client.ts';
import { changesAfter, followChanges } from '../api/follow.ts';
import { type ChangeRow, ChangesAfter, RecentChanges, Session } from '../api/operations.ts';
import { keep, readKept } from './kept-companies.ts';
import { type DashboardState, initialState, withChanges, withCompanies } from './model.ts';
import { createPortfolio, type Portfolio } from './portfolio.ts';
import { createStore, type Store } from './store.ts';

/** State and operations of the pages for one API key. */
export interface Dashboard {
  readonly client: Client;
  readonly store: Store<DashboardState>;
  readonly portfolio: Omit<Portfolio, 'close'>;
  /** Resets the number of missed changes. */
  dismissMissed(): void;
  /** Reads again what could not be read, without the pause before the next attempt. */
  retry(): void;
  close(): void;
}

/** Interval at which changes are shown in groups, so that many per second stay readable and the page renders once for all of them. */
const FLUSH_MS = 250;
const RETRY_MS = 3_000;
/** Codes of a key or a session that is not valid, or no longer valid. */
const WRONG_KEY: ReadonlySet<string> = new Set(['INVALID_API_KEY', 'MISSING_API_KEY', 'SESSION_ENDED']);

export function openDashboard(key: string): Dashboard {
  const client = createClient(key);
  const store = createStore(initialState);
  const portfolio = createPortfolio(client, store);
  const closed = new AbortController();
  const pending: ChangeRow[] = [];
  /** Epoch ms of the last sign of life of the connection that the store does not have yet. */
  let seenAt: number | null = null;
  let stopFollowing: (() => void) | undefined;
  /** Ends the pause before the next attempt to start. */
  let wake = (): void => {};

  const flush = (): void => {
    const added = pending.splice(0);
    const lastSeenAt = seenAt;
    seenAt = null;
    if (lastSeenAt !== null || added.length > 0)
      store.set((state) => ({ ...withChanges(state, added), lastSeenAt: lastSeenAt ?? state.lastSeenAt }));
    if (added.length === 0) return;
    const last = added.at(-1);
    if (last) remember(last.cursor);
    portfolio.refresh();
  };
  const flushing = setInterval(flush, FLUSH_MS);

  /** Handles a refusal: an invalid key is asked for again, and another refusal is shown beside the connection. */
  const refuse = (error: QuipuError): void =>
    store.set((state) =>
      WRONG_KEY.has(error.code) ? { ...state, refused: error } : { ...state, connection: { phase: 'refused', error } },
    );
  const storedCursor = (): string => `quipu.cursor.${store.get().account?.id ?? ''}`;
  const remember = (cursor: string): void => localStorage.setItem(storedCursor(), cursor);

  async function start(): Promise<void> {
    const { apiKey, sources } = requireData(await client.ask(Session, {}, closed.signal));
    const kept = readKept(apiKey.id);
    store.set((state) => ({
      ...withCompanies(state, kept),
      account: apiKey,
      problem: null,
      isSandbox: sources.some(({ origin }) => origin === 'SANDBOX'),
    }));
    if (!apiKey.modules.includes('MONITOR')) return;
    const { recent, after } = await readRecent();
    const seen = localStorage.getItem(storedCursor());
    store.set((state) => ({ ...withChanges(state, recent), hasReadChanges: true }));
    if (seen) await countMissed(seen);
    remember(after);
    void portfolio.load();
    stopFollowing = followChanges({
      client,
      after,
      onChanges: (changes) => pending.push(...changes),
      onState: (connection) =>
        connection.phase === 'refused' ? refuse(connection.error) : store.set((state) => ({ ...state, connection })),
      onHeartbeat: () => {
        seenAt = Date.now();
      },
      onGap: () => store.set((state) => ({ ...state, hasGap: true })),
    });
  }

  /** Reads the newest changes, oldest first, and the cursor to continue from. No change after it is missing, but some may be repeated. */
  async function readRecent(): Promise<{ readonly recent: readonly ChangeRow[]; readonly after: string }> {
    const answer = await client.ask(RecentChanges, {}, closed.signal);
    const { nodes } = requireData({ data: answer.data?.monitors ?? null, errors: answer.errors });
    const recent = nodes.flatMap(({ changes }) => changes.nodes).sort((a, b) => a.detectedAt.localeCompare(b.detectedAt));
    const newest = recent.at(-1);
    const oldestOfThatMoment = recent.find(({ detectedAt }) => detectedAt === newest?.detectedAt);
    if (oldestOfThatMoment) return { recent, after: oldestOfThatMoment.cursor };
    const head = await client.ask(ChangesAfter, { first: 1 }, closed.signal);
    const page = requireData({ data: head.data?.changes ?? null, errors: head.errors });
    return { recent: page.nodes, after: page.pageInfo.endCursor ?? '' };
  }

  /** Counts the changes since the page was last open. */
  async function countMissed(seen: string): Promise<void> {
    let missed = 0;
    try {
      for await (const { changes, left } of changesAfter(client, seen, closed.signal)) {
        missed += changes.length;
        store.set((state) => ({
          ...withChanges(state, changes),
          missed,
          connection: left > 0 ? { phase: 'catching-up', left } : { phase: 'connecting' },
        }));
      }
    } catch (error) {
      // INVALID_INPUT means that the stored cursor is of another installation at this address.
      if (!(error instanceof QuipuError && ['CURSOR_TOO_OLD', 'INVALID_INPUT'].includes(error.code))) throw error;
      store.set((state) => ({ ...state, hasGap: error.code === 'CURSOR_TOO_OLD' }));
    }
  }

  /** Companies at the last write. They are written before the cursor is stored, so that they include all changes up to it. */
  let written = store.get().companies;
  const stopKeeping = store.subscribe(() => {
    const { account, companies } = store.get();
    if (!account || companies === written) return;
    written = companies;
    keep(account.id, companies.values());
  });

  /** Starts until the service answers. After a refusal the next attempt is the person's, and none follows a wrong key. */
  async function startUntilAnswered(): Promise<void> {
    while (!closed.signal.aborted) {
      try {
        return await start();
      } catch (error) {
        if (closed.signal.aborted) return;
        const problem = problemOf(error);
        const { isRetryable } = problem;
        if (isRetryable) store.set((state) => ({ ...state, connection: { phase: 'offline', retryAt: Date.now() + RETRY_MS }, problem }));
        else refuse(problem);
        if (store.get().refused) return;
        await pause(isRetryable ? RETRY_MS : null);
        if (!isRetryable) store.set((state) => ({ ...state, connection: { phase: 'connecting' } }));
      }
    }
  }

  /** Waits for a time, or for `retry` alone. @param ms null for no limit */
  const pause = (ms: number | null): Promise<void> =>
    new Promise((resolve) => {
      const timer = ms === null ? undefined : setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  void startUntilAnswered();
  return {
    client,
    store,
    portfolio,
    dismissMissed: () => store.set((state) => ({ ...state, missed: 0 })),
    retry: () => (stopFollowing ? void portfolio.load() : wake()),
    close() {
      closed.abort();
      wake();
      stopFollowing?.();
      stopKeeping();
      portfolio.close();
      clearInterval(flushing);
    },
  };
}
