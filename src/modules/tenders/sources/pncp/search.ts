import { TIME_BUDGETS } from '../../../../domain/catalogue.ts';
import { invalidInput, sourceUnavailable } from '../../../../domain/errors.ts';
import { brazilianDate, type Clock, DAY_MS, isoDate, SECOND_MS } from '../../../../domain/time.ts';
import { type Covered, coverageMessages, covered } from '../../../../messages/coverage.ts';
import { tenderMessages } from '../../../../messages/screenings.ts';
import type { HttpClient } from '../../../../sources/http/client.ts';
import { HttpFailure } from '../../../../sources/http/failure.ts';
import type { Throttle } from '../../../../sources/http/throttle.ts';
import { matchesKeyword, type TenderNotice, type TenderSearch, type TenderSearchResult } from '../../domain.ts';
import { MAX_NOTICES } from '../marketplace.ts';
import type { Window } from './plan.ts';
import { noticePage, type PncpPage, pageUrl, readPage } from './records.ts';

export interface PncpSearchDeps {
  /** Base URL. */
  readonly url: string;
  readonly http: HttpClient;
  /** Throttle of the real portal, whose rate limits do not apply to the sandbox. */
  readonly throttle: Throttle | undefined;
  readonly now: Clock;
  /** Codes of modalities, e.g. `6`. The portal needs one request per modality. */
  readonly modalities: readonly string[];
  /** Lookback in days of a search without a start date. */
  readonly days: number;
}

/** Maximum page size for procurements that the portal accepts; its manual states another. */
const PAGE_SIZE = 50;
/** Latest start of a page request. Later pages are skipped and named in `coverage`. */
const LAST_START_MS = TIME_BUDGETS.pncp - 3 * SECOND_MS;
const MAX_PAGES = 16;
/** Interval between requests: the portal refuses 10 requests within 5 s, without Retry-After. */
export const REQUEST_GAP_MS = 700;
const RATE_LIMIT_HOLD_MS = 30 * SECOND_MS;
const MAX_DAYS = 365;

/** One page of one modality. */
interface PageRef {
  readonly modality: string;
  readonly page: number;
}

/**
 * Creates the search: fetches procurements by date of publication and matches keywords here, since the portal has no text search.
 * Fetches the first page of every modality, then the last ones, since pages start with the oldest. Ends within its time budget; `coverage`
 * states what was searched.
 */
export function createPncpSearch(deps: PncpSearchDeps): (search: TenderSearch) => Promise<TenderSearchResult> {
  const { url, http, throttle, now, modalities } = deps;

  /** Waits for the next request slot; false if it is after `latest`. Requests may overlap: the gap is between their starts. */
  async function waitForSlot(latest: number): Promise<boolean> {
    const permit = await throttle?.acquire(performance.now() + latest - now());
    if (permit === undefined) return now() <= latest;
    if (typeof permit === 'string') return false;
    permit.end();
    return true;
  }

  async function ask({ from, to }: Window, { modality, page }: PageRef, deadlineAt: number): Promise<PncpPage<TenderNotice>> {
    const filters = { codigoModalidadeContratacao: modality };
    return http.get(pageUrl(url, { path: 'contratacoes/publicacao', from, to, filters, pageSize: PAGE_SIZE }, page), {
      deadlineMs: deadlineAt - now(),
      read: (answer) => readPage(answer, noticePage),
      explain: ({ status }) => (status === 429 ? rateLimited() : null),
    });
  }

  /** Fetches the pages in order, two at a time, until the time is up. @throws the first failure */
  async function fetchPages(
    pageRefs: readonly PageRef[],
    startedAt: number,
    fetchPage: (pageRef: PageRef) => Promise<void>,
  ): Promise<void> {
    const queue = [...pageRefs];
    const worker = async (): Promise<void> => {
      while (queue.length > 0 && (await waitForSlot(startedAt + LAST_START_MS))) {
        const pageRef = queue.shift();
        if (pageRef)
          await fetchPage(pageRef).catch((error: unknown) => {
            queue.length = 0;
            throw error;
          });
      }
    };
    await Promise.all([worker(), worker()]);
  }

  return async (search) => {
    const startedAt = now();
    const window = windowOf(search, brazilianDate(startedAt), deps.days);
    const seen = new Map<string, TenderNotice>();
    const lists = new Map<string, { readonly total: number; readonly pages: number }>();
    let pagesRead = 0;
    const fetchPage = async (pageRef: PageRef): Promise<void> => {
      const { records, total, pages } = await ask(window, pageRef, startedAt + TIME_BUDGETS.pncp);
      lists.set(pageRef.modality, lists.get(pageRef.modality) ?? { total, pages });
      pagesRead += 1;
      for (const notice of records) seen.set(notice.code, notice);
    };
    await fetchPages(
      modalities.map((modality) => ({ modality, page: 1 })),
      startedAt,
      fetchPage,
    );
    if (lists.size === 0) throw sourceUnavailable('pncp', 'no slot for a request came in time', 5);
    await fetchPages(lastPages(lists).slice(0, Math.max(0, MAX_PAGES - pagesRead)), startedAt, fetchPage);

    const found = [...seen.values()].filter((notice) => matchesKeyword(notice, search.keyword)).sort(newestFirst);
    const coverage = coverageOf({ modalities, window, lists, pagesRead, seen: seen.size, found: found.length });
    return { notices: found.slice(0, MAX_NOTICES), ...coverage, ...window };
  };
}

const rateLimited = (): HttpFailure => new HttpFailure('status_429', 'too many requests were sent', { retryAfterMs: RATE_LIMIT_HOLD_MS });

/** @throws AppError INVALID_INPUT on `date_from` for more days than the portal supports */
function windowOf({ from, to }: TenderSearch, today: string, days: number): Window {
  const until = to ?? today;
  const since = from ?? isoDate(Date.parse(until) - (days - 1) * DAY_MS);
  if (Date.parse(until) - Date.parse(since) >= MAX_DAYS * DAY_MS) {
    throw invalidInput('date_from', tenderMessages.manyDays({ max: MAX_DAYS }));
  }
  return { from: since, to: until };
}

type Lists = ReadonlyMap<string, { readonly total: number; readonly pages: number }>;

/** Returns the pages after the first, starting with the last page of each modality. */
function lastPages(lists: Lists): readonly PageRef[] {
  const pageRefs = [...lists].flatMap(([modality, { pages }]) =>
    Array.from({ length: Math.max(0, pages - 1) }, (_, depth) => ({ modality, page: pages - depth, depth })),
  );
  return pageRefs.sort((a, b) => a.depth - b.depth);
}

const newestFirst = (a: TenderNotice, b: TenderNotice): number => order(b.publishedAt ?? '', a.publishedAt ?? '') || order(b.code, a.code);

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

interface SearchProgress {
  readonly modalities: readonly string[];
  readonly window: Window;
  readonly lists: Lists;
  readonly pagesRead: number;
  readonly seen: number;
  readonly found: number;
}

/** Describes what was searched, in sentences for the caller. */
function coverageOf({ modalities, window, lists, pagesRead, seen, found }: SearchProgress): Covered {
  const missed = modalities.filter((modality) => !lists.has(modality));
  const pages = [...lists.values()].reduce((sum, list) => sum + Math.max(1, list.pages), 0);
  const total = [...lists.values()].reduce((sum, list) => sum + list.total, 0);
  return covered([
    coverageMessages.modalities({ modalities: modalities.filter((modality) => lists.has(modality)), from: window.from, to: window.to }),
    missed.length > 0 && coverageMessages.modalitiesMissed({ modalities: missed }),
    pagesRead < pages && coverageMessages.callsSearched({ total, seen }),
    found > MAX_NOTICES && coverageMessages.newestOnly({ max: MAX_NOTICES }),
  ]);
}
