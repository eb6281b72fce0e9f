import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, invalidInput, sourceUnavailable } from '../../../../domain/errors.ts';
import { type Clock, DAY_MS, isoDate, SECOND_MS } from '../../../../domain/time.ts';
import { type HttpClient, HttpFailure } from '../../../../sources/http/client.ts';
import { matchesKeyword, type TenderFindings, type TenderNotice, type TenderSearch } from '../../domain.ts';
import { MAX_FINDINGS } from '../marketplace.ts';
import { noticePage } from './notices.ts';
import { type PncpPage, pageUrl, readPage } from './pages.ts';
import { brasiliaDay } from './plan.ts';
import type { Window } from './windows.ts';

export interface PncpSearchDeps {
  /** Base URL. */
  readonly url: string;
  /** True for the portal itself, whose limits count there only. */
  readonly atHome: boolean;
  readonly http: HttpClient;
  readonly now: Clock;
  /** Codes, e.g. `6`: the portal must be asked for each by itself. */
  readonly modalities: readonly string[];
  /** Days that a search without a start date goes back. */
  readonly days: number;
}

/** The portal's own limit for procurements, whatever its manual says. */
const PAGE_SIZE = 50;
const DEADLINE_MS = 10 * SECOND_MS;
/** No page is asked for later than this: what was not reached is said, what was asked for must come. */
const LAST_START_MS = 7 * SECOND_MS;
const MAX_PAGES = 16;
/** It turns away who asks ten times within five seconds, and says no more than that. */
const GAP_MS = 700;
const HOLD_MS = 30 * SECOND_MS;
const MAX_DAYS = 365;

/** One page of one modality. */
interface Place {
  readonly modality: string;
  readonly page: number;
}

/**
 * Searches calls by their date of publication, and their texts by ourselves, because the portal does not. Every modality is asked for
 * its first page, then for its last ones: pages begin with the oldest call. Settles within 10 s, having looked through what can be
 * looked through in that time, and says so.
 */
export function createPncpSearch(deps: PncpSearchDeps): (search: TenderSearch) => Promise<TenderFindings> {
  const { url, atHome, http, now, modalities } = deps;
  let nextTurnAt = 0;
  let heldUntil = 0;

  /** Waits for a turn to ask; false when it would come too late. */
  async function turn(latest: number): Promise<boolean> {
    const at = Math.max(now(), nextTurnAt);
    if (at > latest) return false;
    if (atHome) nextTurnAt = at + GAP_MS;
    await sleep(Math.max(0, at - now()));
    return true;
  }

  async function ask({ from, to }: Window, { modality, page }: Place, deadlineAt: number): Promise<PncpPage<TenderNotice>> {
    if (heldUntil > now()) throw sourceUnavailable('pncp', 'too many questions were asked', Math.ceil((heldUntil - now()) / SECOND_MS));
    const filters = { codigoModalidadeContratacao: modality };
    try {
      return await http.get(pageUrl(url, { path: 'contratacoes/publicacao', from, to, filters, pageSize: PAGE_SIZE }, page), {
        deadlineMs: deadlineAt - now(),
        read: (answer) => readPage(answer, noticePage),
      });
    } catch (error) {
      if (isTooMany(error)) heldUntil = now() + HOLD_MS;
      throw error;
    }
  }

  /** Looks at the places in their order, two at a time, for as long as there is time. @throws the first failure */
  async function lookAt(places: readonly Place[], startedAt: number, look: (place: Place) => Promise<void>): Promise<void> {
    const queue = [...places];
    const walk = async (): Promise<void> => {
      while (queue.length > 0 && (await turn(startedAt + LAST_START_MS))) {
        const place = queue.shift();
        if (place)
          await look(place).catch((error: unknown) => {
            queue.length = 0;
            throw error;
          });
      }
    };
    await Promise.all([walk(), walk()]);
  }

  return async (search) => {
    const startedAt = now();
    const window = windowOf(search, brasiliaDay(startedAt), deps.days);
    const seen = new Map<string, TenderNotice>();
    const lists = new Map<string, { readonly total: number; readonly pages: number }>();
    let looks = 0;
    const look = async (place: Place): Promise<void> => {
      const { records, total, pages } = await ask(window, place, startedAt + DEADLINE_MS);
      lists.set(place.modality, lists.get(place.modality) ?? { total, pages });
      looks += 1;
      for (const notice of records) seen.set(notice.code, notice);
    };
    await lookAt(
      modalities.map((modality) => ({ modality, page: 1 })),
      startedAt,
      look,
    );
    if (lists.size === 0) throw sourceUnavailable('pncp', 'no turn to ask came in time', 5);
    await lookAt(lastPages(lists).slice(0, Math.max(0, MAX_PAGES - looks)), startedAt, look);

    const found = [...seen.values()].filter((notice) => matchesKeyword(notice, search.keyword)).sort(newestFirst);
    const coverage = coverageOf({ modalities, window, lists, looks, seen: seen.size, found: found.length });
    return { notices: found.slice(0, MAX_FINDINGS), coverage, ...window };
  };
}

const isTooMany = (error: unknown): boolean =>
  error instanceof AppError && error.cause instanceof HttpFailure && error.cause.kind === 'status_429';

/** @throws AppError INVALID_INPUT on `date_from` for more days than the portal takes */
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

/** The pages that follow the first, the last of each modality first. */
function lastPages(lists: Lists): readonly Place[] {
  const places = [...lists].flatMap(([modality, { pages }]) =>
    Array.from({ length: Math.max(0, pages - 1) }, (_, depth) => ({ modality, page: pages - depth, depth })),
  );
  return places.sort((a, b) => a.depth - b.depth);
}

const newestFirst = (a: TenderNotice, b: TenderNotice): number => order(b.publishedAt ?? '', a.publishedAt ?? '') || order(b.code, a.code);

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

interface Looked {
  readonly modalities: readonly string[];
  readonly window: Window;
  readonly lists: Lists;
  readonly looks: number;
  readonly seen: number;
  readonly found: number;
}

/** What was looked through, in words. */
function coverageOf({ modalities, window, lists, looks, seen, found }: Looked): string {
  const missed = modalities.filter((modality) => !lists.has(modality));
  const pages = [...lists.values()].reduce((sum, list) => sum + Math.max(1, list.pages), 0);
  const total = [...lists.values()].reduce((sum, list) => sum + list.total, 0);
  return [
    `Calls of modalities ${[...lists.keys()].join(', ')} published from ${window.from} to ${window.to}.`,
    missed.length > 0 ? `Modalities ${missed.join(', ')} were not reached in time.` : '',
    looks < pages ? `Of some ${total} calls ${seen} were looked through, mostly the newest; fewer days show more of them.` : '',
    found > MAX_FINDINGS ? `Only the newest ${MAX_FINDINGS} are given.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}
