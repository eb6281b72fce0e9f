import { setTimeout as sleep } from 'node:timers/promises';
import { TIME_BUDGETS } from '../../../../domain/catalogue.ts';
import { AppError, invalidInput, sourceUnavailable } from '../../../../domain/errors.ts';
import { brazilianDate, type Clock, DAY_MS, isoDate, SECOND_MS } from '../../../../domain/time.ts';
import { type HttpClient, HttpFailure } from '../../../../sources/http/client.ts';
import { defineSource } from '../../../../sources/source.ts';
import { matchesKeyword, type TenderNotice, type TenderSearch, type TenderSearchResult } from '../../domain.ts';
import { type IndexedMarketplace, MAX_NOTICES, TENDERS_MONTHS } from '../marketplace.ts';
import { createSupplierIndex } from '../supplier-index.ts';
import { pncpPlan, type Window } from './plan.ts';
import { noticePage, type PncpPage, pageUrl, readPage, withCurrentStatus } from './records.ts';

/**
 * Brazilian procurement, PNCP. It has no query by supplier, so a supplier's contracts come from an index in Postgres built from its
 * list of contracts. Calls for tenders are searched live.
 */
export const pncp = defineSource({
  name: 'pncp',
  attribution: 'Portal Nacional de Contratações Públicas (PNCP), pncp.gov.br, licensed CC BY-ND 3.0.',
  addresses: {
    QUIPU_PNCP_URL: {
      live: 'https://pncp.gov.br',
      sandbox: '/pncp',
      description: 'Brazilian procurement, PNCP: base URL; the service requests {base}/api/consulta/v1/….',
      base: true,
    },
  },
  settings: {
    QUIPU_TENDERS_MONTHS: TENDERS_MONTHS,
    QUIPU_PNCP_MODALITIES: {
      description: 'Codes of the procurement modalities that a search covers; each one needs a request of its own.',
      fallback: '4,5,6,7,8,9,12',
      pattern: /^[1-9]\d?(,[1-9]\d?)*$/,
      expected: 'expected codes separated by commas, e.g. 6,8',
    },
    QUIPU_PNCP_SEARCH_DAYS: {
      description: 'Number of days that a search of Brazilian tenders without a start date covers.',
      fallback: '30',
      pattern: /^([1-9]\d?|[12]\d\d|3[0-5]\d|36[0-5])$/,
      expected: 'expected a whole number of days, 1 to 365',
    },
  },
  create({ address: addressOf, setting, http, db, now, log }): IndexedMarketplace {
    const address = addressOf('QUIPU_PNCP_URL');
    const sweep = http({ concurrency: 1 });
    const live = http({ concurrency: 2 });
    const portal = { url: address.url, isRealPortal: address.origin === 'live', now };
    const { awards: _, ...index } = createSupplierIndex(pncpPlan({ ...portal, http: sweep, log }), {
      address,
      months: setting('QUIPU_TENDERS_MONTHS'),
      db,
      now,
      log,
    });
    return {
      ...index,
      search: createPncpSearch({
        ...portal,
        http: live,
        modalities: setting('QUIPU_PNCP_MODALITIES').split(','),
        days: Number(setting('QUIPU_PNCP_SEARCH_DAYS')),
      }),
      async orders(requests) {
        const today = brazilianDate(now());
        const { pages, ...hits } = await index.orders(requests);
        return { ...hits, pages: pages.map((page) => ({ ...page, items: page.items.map((order) => withCurrentStatus(order, today)) })) };
      },
      async status() {
        const { circuit } = live.health();
        return { ...(await index.status()), circuit };
      },
      async close() {
        await Promise.all([sweep.close(), live.close()]);
      },
    };
  },
});

interface PncpSearchDeps {
  /** Base URL. */
  readonly url: string;
  /** True for the real portal, whose rate limits do not apply to the sandbox. */
  readonly isRealPortal: boolean;
  readonly http: HttpClient;
  readonly now: Clock;
  /** Codes, e.g. `6`: the portal needs one request per modality. */
  readonly modalities: readonly string[];
  /** Lookback in days of a search without a start date. */
  readonly days: number;
}

/** The portal's actual maximum page size for procurements; its manual differs. */
const PAGE_SIZE = 50;
/** Latest start of a page request. Later pages are skipped and named in `coverage`. */
const LAST_START_MS = TIME_BUDGETS.pncp - 3 * SECOND_MS;
const MAX_PAGES = 16;
/** Interval between requests: the portal refuses 10 requests within 5 s, without Retry-After. */
const REQUEST_GAP_MS = 700;
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
function createPncpSearch(deps: PncpSearchDeps): (search: TenderSearch) => Promise<TenderSearchResult> {
  const { url, isRealPortal, http, now, modalities } = deps;
  let nextSlotAt = 0;
  let pausedUntil = 0;

  /** Waits for the next request slot; false if it is after `latest`. */
  async function waitForSlot(latest: number): Promise<boolean> {
    const at = Math.max(now(), nextSlotAt);
    if (at > latest) return false;
    if (isRealPortal) nextSlotAt = at + REQUEST_GAP_MS;
    await sleep(Math.max(0, at - now()));
    return true;
  }

  async function ask({ from, to }: Window, { modality, page }: PageRef, deadlineAt: number): Promise<PncpPage<TenderNotice>> {
    if (pausedUntil > now()) throw sourceUnavailable('pncp', 'too many questions were asked', Math.ceil((pausedUntil - now()) / SECOND_MS));
    const filters = { codigoModalidadeContratacao: modality };
    try {
      return await http.get(pageUrl(url, { path: 'contratacoes/publicacao', from, to, filters, pageSize: PAGE_SIZE }, page), {
        deadlineMs: deadlineAt - now(),
        read: (answer) => readPage(answer, noticePage),
      });
    } catch (error) {
      if (isRateLimited(error)) pausedUntil = now() + RATE_LIMIT_HOLD_MS;
      throw error;
    }
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
    return { notices: found.slice(0, MAX_NOTICES), coverage, ...window };
  };
}

const isRateLimited = (error: unknown): boolean =>
  error instanceof AppError && error.cause instanceof HttpFailure && error.cause.kind === 'status_429';

/** @throws AppError INVALID_INPUT on `date_from` for more days than the portal supports */
function windowOf({ from, to }: TenderSearch, today: string, days: number): Window {
  const until = to ?? today;
  const since = from ?? isoDate(Date.parse(until) - (days - 1) * DAY_MS);
  if (Date.parse(until) - Date.parse(since) >= MAX_DAYS * DAY_MS) {
    throw invalidInput(
      'date_from',
      `Brazilian tenders are searched in at most ${MAX_DAYS} days at a time; give a later start or an earlier end.`,
    );
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

/** Describes what was searched; sentences for the caller. */
function coverageOf({ modalities, window, lists, pagesRead, seen, found }: SearchProgress): string {
  const missed = modalities.filter((modality) => !lists.has(modality));
  const pages = [...lists.values()].reduce((sum, list) => sum + Math.max(1, list.pages), 0);
  const total = [...lists.values()].reduce((sum, list) => sum + list.total, 0);
  return [
    `Calls of modalities ${[...lists.keys()].join(', ')} published from ${window.from} to ${window.to}.`,
    missed.length > 0 ? `Modalities ${missed.join(', ')} were not reached in time.` : '',
    pagesRead < pages ? `Of about ${total} calls ${seen} were searched, mostly the newest; request fewer days to search more of them.` : '',
    found > MAX_NOTICES ? `Only the newest ${MAX_NOTICES} are given.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}
