import { TIME_BUDGETS } from '../../../../domain/catalogue.ts';
import { type CompanyKey, legalPersonText } from '../../../../domain/company.ts';
import { sourceUnavailable } from '../../../../domain/errors.ts';
import { type Clock, chileanDate, MINUTE_MS } from '../../../../domain/time.ts';
import { coverageMessages, covered } from '../../../../messages/coverage.ts';
import { type AwardedContract, isAfter, paginate, type RecordCursor, type TenderOrder } from '../../domain.ts';
import type { SupplierHits, SupplierPageRequest } from '../marketplace.ts';
import type { MercadoPublicoApi } from './api.ts';
import { dayAfter } from './values.ts';

const VALID_FOR_MS = 15 * MINUTE_MS;
/** Maximum number of candidates: for an unknown RUT the API returns other companies. */
const MAX_CANDIDATES = 5;

export interface LiveSupplierDeps {
  readonly api: MercadoPublicoApi;
  /** Number of days to query, today included. */
  readonly days: number;
  readonly now: Clock;
}

/** Requests for one kind of document. */
interface Kind<T> {
  readonly coverage: typeof coverageMessages.ordersOfDays;
  codes(api: MercadoPublicoApi, day: string, supplierNumber: string, latest: number): Promise<readonly string[]>;
  /** Returns the document if it belongs to the supplier (in the format of `legalPersonText`), else null. */
  document(api: MercadoPublicoApi, code: string, supplier: string, latest: number): Promise<T | null>;
  cursorOf(document: T): RecordCursor;
}

const ORDERS: Kind<TenderOrder> = {
  coverage: coverageMessages.ordersOfDays,
  codes: (api, ...question) => api.orderCodes(...question),
  async document(api, code, supplier, latest) {
    const found = await api.order(code, latest);
    return found?.supplier === supplier ? found.order : null;
  },
  cursorOf: (order) => order,
};

const AWARDS: Kind<AwardedContract> = {
  coverage: coverageMessages.awardsOfDays,
  codes: async (api, ...question) => (await api.tenders(...question)).map(({ code }) => code),
  async document(api, code, supplier, latest) {
    const found = await api.tender(code, latest);
    return found?.awards.find((award) => award.supplier === supplier)?.award ?? null;
  },
  cursorOf: ({ awardedAt, code }) => ({ date: awardedAt, code }),
};

/**
 * Fetches suppliers' orders of the last days, one request each. Answers are cached, so that a retry gets further. @throws AppError
 * SOURCE_UNAVAILABLE, also if the ticket allows too few requests in time
 */
export const ordersOfLastDays = (last: LiveSupplierDeps, requests: readonly SupplierPageRequest[]) => ofLastDays(last, requests, ORDERS);

/** Fetches suppliers' awards of the last days; see `ordersOfLastDays`. */
export const awardsOfLastDays = (last: LiveSupplierDeps, requests: readonly SupplierPageRequest[]) => ofLastDays(last, requests, AWARDS);

async function ofLastDays<T>(last: LiveSupplierDeps, requests: readonly SupplierPageRequest[], kind: Kind<T>): Promise<SupplierHits<T>> {
  const latest = performance.now() + TIME_BUDGETS.mercadopublico;
  const now = last.now();
  const to = chileanDate(now);
  const days = Array.from({ length: last.days }, (_, i) => dayAfter(to, -i));
  const pages = [];
  let unnumbered = 0;
  for (const { key, ...request } of requests) {
    const { documents, leftOut } = await documentsOf(last.api, key, days, latest, kind);
    unnumbered += leftOut;
    pages.push(paginate(documents, documents.length, request, kind.cursorOf));
  }
  return {
    pages,
    ...covered([kind.coverage({ from: days.at(-1) ?? to, to }), unnumbered > 0 && coverageMessages.withoutNumber({ count: unnumbered })]),
    publishedOn: to,
    checkedAt: now,
    goodUntil: now + VALID_FOR_MS,
  };
}

/**
 * Fetches a supplier's documents of these days, newest first; each contains the supplier's RUT. Empty if the API has no such company.
 * `leftOut` counts the candidates without a number.
 * @throws AppError SOURCE_UNAVAILABLE if the API has the company but no documents of these days: older ones were not searched
 */
async function documentsOf<T>(
  api: MercadoPublicoApi,
  key: CompanyKey,
  days: readonly string[],
  latest: number,
  kind: Kind<T>,
): Promise<{ readonly documents: readonly T[]; readonly leftOut: number }> {
  const companies = await api.supplierNumbers(key.taxId, latest);
  const numbers = companies.filter((number) => number !== null);
  if (numbers.length > MAX_CANDIDATES) throw sourceUnavailable('mercadopublico', `${numbers.length} companies for one RUT`);
  const codes = new Set<string>();
  for (const number of numbers) {
    for (const day of days) for (const code of await kind.codes(api, day, number, latest)) codes.add(code);
  }
  const documents: T[] = [];
  for (const code of codes) {
    const document = await kind.document(api, code, legalPersonText(key), latest);
    if (document) documents.push(document);
  }
  if (numbers.length > 0 && documents.length === 0) throw sourceUnavailable('mercadopublico', 'nothing in the last days, and no index');
  documents.sort((a, b) => (isAfter(kind.cursorOf(a), kind.cursorOf(b)) ? 1 : -1));
  return { documents, leftOut: companies.length - numbers.length };
}
