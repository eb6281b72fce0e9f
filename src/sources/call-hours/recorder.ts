import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { SourceName } from '../../domain/catalogue.ts';
import { durationClass, noDurations } from '../../domain/durations.ts';
import { type Clock, DAY_MS, HOUR_MS, SECOND_MS } from '../../domain/time.ts';
import { addSourceHours, purgeSourceHours } from './store.ts';

/** Time for which the hours are kept. */
const HOURS_KEPT_MS = 30 * DAY_MS;
/** Interval between two writes. */
const FLUSH_MS = 15 * SECOND_MS;
/** Maximum number of hours in memory while the database does not answer. Then the oldest are lost. */
const MAX_UNWRITTEN = 2_000;

/** Called with the duration in ms and the outcome of each call of a source. */
export type OnCall = (ms: number, failed: boolean) => void;

/** Adds up the calls of sources by hour. Recording changes memory only; a timer writes to the table. */
export interface CallHours {
  /** Returns the function that records the calls of a source. */
  of(source: SourceName): OnCall;
  /** Writes the calls since the last flush, in one statement, and deletes old hours once an hour. @throws Error when the database fails */
  flush(): Promise<void>;
  /** Stops the timer and flushes a last time. */
  close(): Promise<void>;
}

interface Unwritten {
  readonly source: SourceName;
  readonly hour: number;
  calls: number;
  failed: number;
  readonly durations: number[];
}

export function createCallHours({ db, now, log }: { readonly db: Knex; readonly now: Clock; readonly log: Logger }): CallHours {
  let unwritten = new Map<string, Unwritten>();
  let purgedHour = Number.NaN;

  function hourOf(source: SourceName, hour: number): Unwritten {
    const key = `${source} ${hour}`;
    const kept = unwritten.get(key) ?? { source, hour, calls: 0, failed: 0, durations: noDurations() };
    unwritten.set(key, kept);
    const [oldest] = unwritten.keys();
    if (unwritten.size > MAX_UNWRITTEN && oldest !== undefined) unwritten.delete(oldest);
    return kept;
  }

  /** Adds calls that could not be written to those that were recorded meanwhile. */
  function keep({ source, hour, calls, failed, durations }: Unwritten): void {
    const kept = hourOf(source, hour);
    kept.calls += calls;
    kept.failed += failed;
    for (const [i, count] of durations.entries()) kept.durations[i] = (kept.durations[i] ?? 0) + count;
  }

  async function flush(): Promise<void> {
    const hours = [...unwritten.values()];
    unwritten = new Map();
    try {
      if (hours.length > 0) await addSourceHours(db, hours);
    } catch (error) {
      for (const hour of hours) keep(hour);
      throw error;
    }
    const hour = startOfHour(now());
    if (hours.length === 0 || hour === purgedHour) return;
    await purgeSourceHours(db, now() - HOURS_KEPT_MS);
    purgedHour = hour;
  }

  const logFailure = (error: Error): void => log.warn({ why: error.message }, 'the calls of sources could not be recorded');
  const timer = setInterval(() => void flush().catch(logFailure), FLUSH_MS).unref();

  return {
    of: (source) => (ms, failed) => {
      const hour = hourOf(source, startOfHour(now()));
      hour.calls += 1;
      if (failed) hour.failed += 1;
      else {
        const index = durationClass(ms);
        hour.durations[index] = (hour.durations[index] ?? 0) + 1;
      }
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush().catch(logFailure);
    },
  };
}

const startOfHour = (ms: number): number => ms - (ms % HOUR_MS);
