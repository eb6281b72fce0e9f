import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import type { Copy, SyncResult } from '../sources/source.ts';

export interface ListSyncOptions {
  readonly log: Logger;
  /** Returns a random number from 0 to 1, for jitter. */
  readonly random?: () => number;
  /** Interval between syncs, ms, which replaces `everyMs` of each list. */
  readonly intervalMs?: number;
  /** Called after each sync that read from the publisher, with its duration in ms. */
  readonly onSync?: (copy: Copy, ms: number, failed: boolean) => void;
  /** Interval between reloads of the current versions, ms, because another process may have loaded a new one. */
  readonly refreshMs?: number;
}

/** Number of lists and other copies with a version, without those that are switched off. */
export interface LoadedLists {
  readonly loaded: number;
  readonly all: number;
}

/** Returns a text such as `5 of 6 lists and copies loaded`. The copies are those of registries and of public contracts. */
export const describeLoaded = ({ loaded, all }: LoadedLists): string => `${loaded} of ${all} lists and copies loaded`;

/** The running sync loops of all lists. */
export interface ListSync {
  /**
   * Settles when every list was tried once, successfully or not, but after 10 s at the latest, because publishers hang and large copies
   * take minutes.
   */
  readonly firstRound: Promise<void>;
  /** Settles when every list was tried once, however long that takes. */
  readonly everyList: Promise<unknown>;
  /** True once the first round is over. */
  tried(): boolean;
  /** Returns the counts from memory, a few seconds old at most. */
  loaded(): LoadedLists;
  /** Cancels the running syncs and waits until they have cleaned up. */
  stop(): Promise<void>;
}

/**
 * Maximum wait of the readiness for the first syncs. The process is ready within 15 s of its database. A list without a version fails its
 * own checks only.
 */
const FIRST_ROUND_MS = 10 * SECOND_MS;
const JITTER = 0.1;
const FIRST_RETRY_MS = MINUTE_MS;
/** Reasons of a refusal that say nothing about the publisher. */
const NO_CALL: ReadonlySet<string> = new Set(['stopped', 'switched_off', 'load_failed']);

/**
 * Syncs every list concurrently, so that a publisher that hangs delays no other, then again every `everyMs` (± 10 %). After a failure, of the
 * list or of another of its files, it retries with exponential backoff: 1, 2, 4 … minutes. It keeps each `version()` up to date. Its timers
 * do not keep the process alive.
 */
export function startListSync(copies: readonly Copy[], options: ListSyncOptions): ListSync {
  const { log, random = Math.random, intervalMs, onSync, refreshMs = 5 * SECOND_MS } = options;
  const abort = new AbortController();
  const { signal } = abort;
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false });

  async function syncCopy(copy: Copy): Promise<SyncResult> {
    const startedAt = performance.now();
    try {
      const result = await copy.sync({ signal });
      const isNoCall = result.outcome === 'busy' || (result.outcome === 'refused' && NO_CALL.has(result.reason));
      if (!isNoCall) onSync?.(copy, performance.now() - startedAt, result.outcome === 'refused');
      return result;
    } catch (error) {
      log.error({ list: copy.name, err: error }, 'a list sync failed unexpectedly');
      return { outcome: 'refused', reason: 'load_failed' };
    }
  }

  async function follow(copy: Copy, tried: () => void): Promise<void> {
    let failures = 0;
    let missing: Missing = null;
    while (!signal.aborted) {
      const result = await syncCopy(copy);
      tried();
      const next = missingOf(result);
      failures = next === null ? 0 : next === missing ? failures + 1 : 1; // the long pauses for another file do not delay a failed list
      missing = next;
      const silenceMs = result.outcome === 'refused' ? (result.retryAfterMs ?? 0) : 0;
      const waitMs = nextSyncMs(intervalMs ?? copy.everyMs, failures) * (1 - JITTER + 2 * JITTER * random());
      await pause(Math.max(waitMs, Math.min(silenceMs, DAY_MS)));
    }
  }

  async function refreshVersions(): Promise<void> {
    while (!signal.aborted) {
      await pause(refreshMs);
      const refreshes = await Promise.allSettled(copies.map((copy) => copy.refresh()));
      const failed = refreshes.find((refresh) => refresh.status === 'rejected');
      if (failed) log.warn({ why: String(failed.reason) }, 'the current versions of the lists could not be read');
    }
  }

  let over = false;
  const rounds = copies.map((copy) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { promise, loop: follow(copy, resolve).catch(whenStopped).finally(resolve) };
  });
  const loops = [...rounds.map(({ loop }) => loop), refreshVersions().catch(whenStopped)];
  const everyList = Promise.all(rounds.map(({ promise }) => promise));
  const firstRound = Promise.race([everyList, pause(FIRST_ROUND_MS).catch(whenStopped)]).then(() => {
    over = true;
  });
  return {
    firstRound,
    everyList,
    tried: () => over,
    loaded() {
      const on = copies.filter(({ off }) => !off);
      return { loaded: on.filter((copy) => copy.version() !== null).length, all: on.length };
    },
    async stop() {
      abort.abort();
      await Promise.all(loops);
    },
  };
}

/** The part that a sync could not load: the list, or another of its files; null if it loaded all. */
type Missing = 'list' | 'file' | null;

function missingOf(result: SyncResult): Missing {
  if (!('version' in result)) return 'list';
  return result.isIncomplete ? 'file' : null;
}

const nextSyncMs = (everyMs: number, failures: number): number =>
  failures === 0 ? everyMs : Math.min(everyMs, FIRST_RETRY_MS * 2 ** (failures - 1));

/** Ignores the abort of a pause, which is the normal end of a loop. */
function whenStopped(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}
