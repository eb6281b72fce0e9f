import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { BRASILIA_OFFSET_MS, brazilianDate, type Clock, DAY_MS, HOUR_MS, isoDate, SECOND_MS } from '../../../../domain/time.ts';
import { coverageMessages } from '../../../../messages/coverage.ts';
import type { HttpClient } from '../../../../sources/http/client.ts';
import { ColumnErrors } from '../../../../sources/registry/csv-table.ts';
import { ListFileError } from '../../../../sources/registry/list-file.ts';
import type { IndexRow, Slice } from '../../store.ts';
import { type IndexPlan, monthAfter, type SliceReading } from '../index-plan.ts';
import { type Contract, contractPage, isLegible, type PncpPage, pageUrl, readPage, toIndexRow } from './records.ts';

/** Days of publication of one slice of the index. They are ISO days, both inclusive. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

/** Days of the month on which windows begin. The real portal has some 6,000 contracts a day, and one failed page fails its window. */
export const FIVE_DAYS = [1, 6, 11, 16, 21, 26] as const;
export const WHOLE_MONTH = [1] as const;

const dayOf = (month: string, day: number): string => `${month}-${String(day).padStart(2, '0')}`;

/** Returns the slices of a month that have begun by `today`, newest first: `orders/2026-11/06` begins on the 6th, `orders/2026-11` is the whole month. */
export const slicesOf = (month: string, starts: readonly number[], today: string): readonly string[] =>
  starts
    .filter((start) => dayOf(month, start) <= today)
    .map((start) => (starts.length === 1 ? `orders/${month}` : `orders/${dayOf(month, start).replace(/-(\d\d)$/, '/$1')}`))
    .reverse();

/** Returns the days of a slice up to `today`. */
export function windowOf(slice: string, starts: readonly number[], today: string): Window {
  const [, month = '', start = '01'] = slice.split('/');
  const next = starts.find((one) => one > Number(start));
  const end = dayBefore(next === undefined ? dayOf(monthAfter(month, 1), 1) : dayOf(month, next));
  return { from: `${month}-${start}`, to: end < today ? end : today };
}

const dayBefore = (day: string): string => isoDate(Date.parse(day) - DAY_MS);

/**
 * Interval between reads of a window, as a share of its age. Contracts are corrected and withdrawn long after publication, and the
 * portal's list of changes lacks withdrawn ones. A window of a week ago is read again after a day, one of a year ago after six weeks.
 */
const REREAD_SHARE = 1 / 8;

/** True if a window must be read: it was never read, still grows, or was read too long ago for its age. */
export function isDue(known: Pick<Slice, 'loadedAt'> | null, { to }: Window, now: number): boolean {
  if (!known) return true;
  const age = Math.max(0, now + BRASILIA_OFFSET_MS - (Date.parse(to) + DAY_MS));
  return now - known.loadedAt >= age * REREAD_SHARE;
}

export interface PncpPlanDeps {
  /** Base URL. */
  readonly url: string;
  /** True for the real portal: its volume, latency and rate limits do not apply to the sandbox. */
  readonly isRealPortal: boolean;
  /** HTTP client of the sync. It is separate, so that a sync does not delay callers' requests. */
  readonly http: HttpClient;
  readonly now: Clock;
  readonly log: Logger;
}

/** The portal's maximum page size for contracts. */
const PAGE_SIZE = 500;
/** Deadline per page. Some responses take 60 s, but most that exceed this never arrive. */
const PAGE_DEADLINE_MS = 45 * SECOND_MS;
/** Interval between pages: the portal refuses 10 requests within 5 s. */
const PAGE_INTERVAL_MS = 2 * SECOND_MS;
/** Delays in ms before the two retries of a page. */
const RETRY_DELAYS_MS = [5 * SECOND_MS, 20 * SECOND_MS] as const;
/** Minimum share of the counted records that must be received, because the data change slightly during the read. */
const MIN_COMPLETE_SHARE = 0.9;
/** Maximum share of suppliers with an unreadable number. */
const UNREADABLE_SHARE = 0.2;

/** Plan of the index of contracts by supplier: by days of publication, page by page. */
export function pncpPlan({ url, isRealPortal, http, now, log }: PncpPlanDeps): IndexPlan {
  const starts = isRealPortal ? FIVE_DAYS : WHOLE_MONTH;
  const today = (): string => brazilianDate(now());

  const ask = (window: Window, page: number): Promise<PncpPage<Contract>> =>
    http.get(pageUrl(url, { path: 'contratos', ...window, pageSize: PAGE_SIZE }, page), {
      deadlineMs: PAGE_DEADLINE_MS,
      read: (answer) => readPage(answer, contractPage),
    });

  async function fetchWithRetry(window: Window, page: number, signal: AbortSignal): Promise<PncpPage<Contract>> {
    for (const pause of isRealPortal ? RETRY_DELAYS_MS : []) {
      try {
        return await ask(window, page);
      } catch {
        await sleep(pause, undefined, { signal });
      }
    }
    return ask(window, page);
  }

  /**
   * Reads all pages of a window. It stops at the last counted page, or at a page without new records, because a record may be repeated on
   * the next page.
   * @throws ListFileError when suppliers cannot be read, when the portal returned far fewer records than it counted, or none for past days
   */
  async function* rowsOf(window: Window, signal: AbortSignal, onProgress: (share: number) => void): AsyncGenerator<IndexRow> {
    const seen = new Set<string>();
    const suppliers = new ColumnErrors('niFornecedor', UNREADABLE_SHARE);
    let counted = 0;
    let kept = 0;
    for (let page = 1, pages = 1, fresh = 1; page <= pages && fresh > 0; page += 1) {
      if (isRealPortal && page > 1) await sleep(PAGE_INTERVAL_MS, undefined, { signal });
      const got = await rejectOnAbort(fetchWithRetry(window, page, signal), signal);
      const records = got.records.filter(({ numeroControlePNCP: code }) => !seen.has(code));
      for (const record of records) {
        seen.add(record.numeroControlePNCP);
        suppliers.add(isLegible(record));
        const row = toIndexRow(record);
        if (row) {
          kept += 1;
          yield row;
        }
      }
      ({ pages } = got);
      counted = Math.max(counted, got.total);
      fresh = records.length;
      onProgress(page / Math.max(pages, page));
    }
    suppliers.assertFew();
    if (isRealPortal && seen.size < counted * MIN_COMPLETE_SHARE) throw new ListFileError(`${seen.size} of ${counted} contracts came`);
    if (isRealPortal && seen.size === 0 && window.to < today()) throw new ListFileError('no contract was published for days');
    log.info({ ...window, kept, leftOut: seen.size - kept }, 'contracts read; those with people, from abroad and of income are left out');
  }

  return {
    name: 'pncp',
    kinds: ['order'],
    schemaVersion: 1,
    everyMs: 8 * HOUR_MS,
    staleAfterMs: 3 * DAY_MS,
    mayBeEmpty: true,
    note: coverageMessages.byPublication(),
    today: brazilianDate,
    slicesOf: (month) => slicesOf(month, starts, today()),
    async open(slice, known, { signal }): Promise<SliceReading | 'unchanged'> {
      const window = windowOf(slice, starts, today());
      if (!isDue(known, window, now())) return 'unchanged';
      let share = 0;
      const onProgress = (part: number) => {
        share = part;
      };
      return { tag: null, publishedOn: window.to, rows: rowsOf(window, signal, onProgress), share: () => share };
    },
  };
}

/** Rejects on abort although the call itself ignores the signal. */
function rejectOnAbort<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([call, aborted]).finally(() => signal.removeEventListener('abort', stop));
}
