import { TIME_BUDGETS } from '../../../../domain/catalogue.ts';
import { type Clock, chileanDate, daysBetween, SECOND_MS } from '../../../../domain/time.ts';
import { coverageMessages, coveredIfLess } from '../../../../messages/coverage.ts';
import type { Message } from '../../../../messages/message.ts';
import { matchesKeyword, type TenderNotice, type TenderSearch, type TenderSearchResult } from '../../domain.ts';
import { MAX_NOTICES } from '../marketplace.ts';
import type { MercadoPublicoApi } from './api.ts';
import type { TenderStub } from './documents.ts';
import { dayAfter, tenderPage } from './values.ts';

/** Minimum time left to request a further day. With less time, the search returns what it has and says so in `coverage`. */
const A_DAY_TAKES_MS = 3 * SECOND_MS;

/**
 * Searches tenders by title: one request per day, at most the newest `maxDays` days; without dates, the open tenders.
 * Answers of single days are cached, so that a retry gets further.
 * @throws AppError SOURCE_UNAVAILABLE
 */
export async function searchTenders(
  api: MercadoPublicoApi,
  { keyword, from, to }: TenderSearch,
  { maxDays, now }: { readonly maxDays: number; readonly now: Clock },
): Promise<TenderSearchResult> {
  if (from === null && to === null) {
    const open = (await api.openTenders(performance.now() + TIME_BUDGETS.mercadopublico)).map(toNotice);
    return findings(open.sort(byClosing), keyword, {
      from,
      to,
      about: coverageMessages.openOnly(),
    });
  }
  const latest = performance.now() + TIME_BUDGETS.mercadopublico;
  const newest = to ?? chileanDate(now());
  const widest = dayAfter(newest, 1 - maxDays);
  const oldest = from !== null && from > widest ? from : widest;
  const notices: TenderNotice[] = [];
  let reached = newest;
  for (let day = newest; day >= oldest; day = dayAfter(day, -1)) {
    if (day < newest && latest - performance.now() < A_DAY_TAKES_MS) break;
    notices.push(...(await api.tenders(day, null, latest)).map(toNotice));
    reached = day;
  }
  const about =
    from === null || from < reached
      ? coverageMessages.dayByDay({ days: daysBetween(reached, newest) + 1, from: reached, to: newest })
      : null;
  return findings(newestOfEach(notices), keyword, { from: reached, to: newest, about });
}

/** Maps a list entry; the lists have title, state and closing only. */
const toNotice = ({ code, name, status, closesAt }: TenderStub): TenderNotice => ({
  code,
  name,
  description: null,
  status,
  closesAt,
  publishedAt: null,
  estimate: null,
  buyer: null,
  buyerTaxId: null,
  url: tenderPage(code),
});

/** Sorts by closing, descending. This is the best approximation, because the lists have no date of publication. */
const byClosing = (a: TenderNotice, b: TenderNotice): number => compare(b.closesAt ?? '', a.closesAt ?? '') || compare(b.code, a.code);

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** Keeps the newest entry of each tender: a tender is in the list of every day on which it changed. */
const newestOfEach = (notices: readonly TenderNotice[]): readonly TenderNotice[] => {
  const seen = new Set<string>();
  return notices.filter(({ code }) => !seen.has(code) && seen.add(code));
};

function findings(
  notices: readonly TenderNotice[],
  keyword: string | null,
  { from, to, about }: Pick<TenderSearchResult, 'from' | 'to'> & { readonly about: Message | null },
): TenderSearchResult {
  const found = notices.filter((notice) => matchesKeyword(notice, keyword));
  const coverage = coveredIfLess([
    about,
    keyword !== null && coverageMessages.titlesOnly(),
    found.length > MAX_NOTICES && coverageMessages.firstOf({ count: found.length, max: MAX_NOTICES }),
  ]);
  return { notices: found.slice(0, MAX_NOTICES), ...coverage, from, to };
}
