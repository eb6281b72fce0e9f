import { z } from 'zod';
import type { CachePolicy } from '../../cache/ttl-cache.ts';
import { derive, live } from '../../domain/answer.ts';
import { chunksOf } from '../../domain/chunks.ts';
import { type CompanyKey, type Country, legalPersonText, requireCountry } from '../../domain/company.ts';
import { sourceUnavailable } from '../../domain/errors.ts';
import { folded } from '../../domain/text.ts';
import { HOUR_MS, MINUTE_MS } from '../../domain/time.ts';
import { domainOwnerLoader, requireOwner } from '../../loaders/domain-owner.ts';
import { type FetchingLoader, liveLoader, type Offered } from '../../loaders/loader.ts';
import type { DomainKey } from '../../sources/domains/domain.ts';
import type { Source } from '../../sources/source.ts';
import {
  type AwardedContract,
  MARKETPLACES,
  type Marketplace,
  type Page,
  paginate,
  type SupplierRecords,
  type TenderOrder,
  type TenderSearch,
  type TenderSearchResult,
} from './domain.ts';
import {
  type IndexedMarketplace,
  MONEY,
  type SearchableMarketplace,
  type SupplierHits,
  type SupplierOrders,
  type SupplierPageRequest,
} from './sources/marketplace.ts';
import { mercadopublico } from './sources/mercadopublico/mercadopublico.ts';
import { pncp } from './sources/pncp/pncp.ts';
import { noticeAt, orderAt } from './sources/pncp/records.ts';
import { NAMES_PER_QUERY } from './sources/secopii/records.ts';
import { secopii } from './sources/secopii/secopii.ts';

const text = z.string();

/**
 * Cache policy of suppliers' records: fresh for 6 h, stale up to 24 h. Without records, these are 15 min and 1 h, because a first order
 * may follow.
 */
const supplierCache = <V>(isNone: (value: V) => boolean): CachePolicy<V> => ({
  ttlMs: (value) => (isNone(value) ? 15 * MINUTE_MS : 6 * HOUR_MS),
  maxStaleAgeMs: (value) => (isNone(value) ? 1 : 24) * HOUR_MS,
});

/** Cache key of a request, by legal person and page: the branches of a CNPJ share their orders. */
const supplierRequestKey = ({ key, first, after }: SupplierPageRequest): string =>
  [legalPersonText(key), first, after?.date, after?.code].join(' ');

/**
 * Creates a loader of suppliers' records from a marketplace's index: one SQL statement per batch. Answers are valid up to the
 * index's staleness limit. Loading any slice invalidates them.
 * @throws AppError SOURCE_UNAVAILABLE, also for a supplier without records while months are missing
 */
const indexLoader = <S extends IndexedMarketplace, T>(
  name: string,
  marketplace: Marketplace,
  source: Source<S>,
  ask: (instance: S, requests: readonly SupplierPageRequest[]) => Promise<SupplierHits<T>>,
): FetchingLoader<SupplierPageRequest, SupplierRecords<T>> => ({
  name,
  key: supplierRequestKey,
  cache: supplierCache(({ page }) => page.total === 0),
  cacheVersion: (use) => use(source).version(),
  batch: (requests, use) => {
    const hits = ask(use(source), requests);
    return requests.map(async (_, i) => {
      const { pages, coverage, sentences, incomplete, publishedOn, checkedAt, goodUntil } = await hits;
      const value = { page: pages[i] as Page<T>, source: marketplace, coverage, sentences };
      if (incomplete && value.page.total === 0) throw sourceUnavailable(marketplace, 'nothing found, and months of the index are missing');
      return { value, dataAsOf: publishedOn, fetchedAt: checkedAt, goodUntil };
    });
  },
});

const ordersCl = indexLoader('tender_orders_cl', 'mercadopublico', mercadopublico, (index, requests) => index.orders(requests));
const ordersBr = indexLoader('tender_orders_br', 'pncp', pncp, (index, requests) => index.orders(requests));

const SENTENCES = z.array(z.object({ code: z.string(), parameters: z.record(z.string(), z.unknown()) }));

const ORDERS: z.ZodType<SupplierOrders> = z.object({
  orders: z.array(
    z.object({
      code: text,
      name: text,
      status: text,
      total: MONEY.nullable(),
      date: text.nullable(),
      buyer: text.nullable(),
      buyerTaxId: text.nullable(),
      tenderCode: text.nullable(),
      supplierTaxId: text.nullable(),
      url: text.nullable(),
    }),
  ),
  total: z.number(),
  coverage: text,
  sentences: SENTENCES,
});

/** Maps a CompanyKey (CO) to its orders, by one live call per key. The caller divides them into pages. */
const ordersCo: FetchingLoader<CompanyKey, SupplierOrders> = liveLoader(secopii, {
  name: 'tender_orders_co',
  key: legalPersonText,
  cache: supplierCache(({ total }) => total === 0),
  schema: ORDERS,
  call: (source, key) => source.orders(key),
});

/**
 * Loads a page of a supplier's orders and contracts (CL, BR, CO), newest first. A CNPJ is looked up by its root, since branches
 * sell under their own numbers.
 * @throws AppError SOURCE_UNAVAILABLE
 */
export const tenderOrdersLoader: Offered<SupplierPageRequest, SupplierRecords<TenderOrder>> = {
  name: 'tender_orders',
  module: 'tenders',
  key: supplierRequestKey,
  async answer(request, load) {
    if (request.key.country === 'CL') return load(ordersCl, request);
    if (request.key.country === 'BR') return load(ordersBr, request);
    return derive(await load(ordersCo, request.key), ({ orders, total, coverage, sentences }) => ({
      page: paginate(orders, total, request, (order) => order),
      source: 'secopii',
      coverage,
      sentences,
    }));
  },
  dated: (answer, now) =>
    answer.value.source === 'pncp'
      ? derive(answer, ({ page, ...value }) => ({ ...value, page: { ...page, items: page.items.map((order) => orderAt(order, now)) } }))
      : answer,
};

/**
 * CompanyKey (CO) → the name of its newest contract in SECOP II; null for a company without contracts. The calls of a batch, one for every
 * 50 companies, run concurrently. Cached like orders.
 * @throws AppError SOURCE_UNAVAILABLE
 */
export const supplierNameLoader: FetchingLoader<CompanyKey, string | null> & Offered<CompanyKey, string | null> = {
  name: 'supplier_name_co',
  module: 'tenders',
  key: legalPersonText,
  counts: (name) => name !== null,
  cache: { ...supplierCache((name) => name === null) },
  schema: text.nullable(),
  batch: (keys, use) =>
    chunksOf(keys, NAMES_PER_QUERY).flatMap((chunk) => {
      const names = use(secopii).names(chunk.map(({ taxId }) => taxId));
      return chunk.map((_, i) => names.then((all) => live(all[i] ?? null)));
    }),
};

const awardsCl = indexLoader('awarded_contracts_cl', 'mercadopublico', mercadopublico, (index, requests) => index.awards(requests));

/** Countries whose marketplace publishes awards by supplier. */
export const AWARD_COUNTRIES = ['CL'] as const;

/**
 * Loads a page of the tenders that a supplier won (CL), newest first.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const awardedContractsLoader: Offered<SupplierPageRequest, SupplierRecords<AwardedContract>> = {
  name: 'awarded_contracts',
  module: 'tenders',
  key: supplierRequestKey,
  async answer(request, load) {
    requireCountry(request.key.country, AWARD_COUNTRIES, 'Awarded contracts');
    return load(awardsCl, request);
  },
};

/**
 * Loads the company behind a domain (.cl, .br). It does not count as usage: the request for the tenders that follows does.
 * @throws AppError DOMAIN_NOT_RESOLVED, SOURCE_UNAVAILABLE
 */
export const supplierByDomainLoader: Offered<DomainKey, CompanyKey> = {
  name: 'supplier_by_domain',
  module: 'tenders',
  key: ({ domain, start }) => [domain, start].join(' '),
  counts: () => false,
  async answer(domain, load) {
    return derive(await load(domainOwnerLoader, domain), requireOwner);
  },
};

const searchKey = ({ country, keyword, from, to }: TenderSearch): string => [country, from, to, keyword && folded(keyword)].join(' ');

const SEARCH_RESULT: z.ZodType<TenderSearchResult> = z.object({
  notices: z.array(
    z.object({
      code: text,
      name: text,
      description: text.nullable(),
      status: text,
      closesAt: text.nullable(),
      publishedAt: text.nullable(),
      estimate: MONEY.nullable(),
      buyer: text.nullable(),
      buyerTaxId: text.nullable(),
      url: text.nullable(),
    }),
  ),
  coverage: text.nullable(),
  sentences: SENTENCES,
  from: text.nullable(),
  to: text.nullable(),
});

/**
 * Creates a loader with one live search per key. Answers are fresh for 15 min, because tenders open and close all day, and stale up to 6
 * h, or 1 h without results.
 */
const searchLoader = <S extends SearchableMarketplace>(source: Source<S>): FetchingLoader<TenderSearch, TenderSearchResult> =>
  liveLoader(source, {
    name: `tender_search_${source.name}`,
    key: searchKey,
    cache: { ttlMs: () => 15 * MINUTE_MS, maxStaleAgeMs: ({ notices }) => (notices.length === 0 ? 1 : 6) * HOUR_MS },
    schema: SEARCH_RESULT,
    call: (marketplace, search) => marketplace.search(search),
  });

const SEARCHES: Readonly<Record<Country, FetchingLoader<TenderSearch, TenderSearchResult>>> = {
  CL: searchLoader(mercadopublico),
  BR: searchLoader(pncp),
  CO: searchLoader(secopii),
};

/** Result of a search, with its marketplace. */
interface SearchAnswer extends TenderSearchResult {
  readonly source: Marketplace;
}

/**
 * Searches calls for tenders (CL, BR, CO). Returns all results, newest first; the APIs divide them into pages.
 * @throws AppError INVALID_INPUT for a date range that the marketplace does not support, SOURCE_UNAVAILABLE
 */
export const tenderSearchLoader: Offered<TenderSearch, SearchAnswer> = {
  name: 'tender_search',
  module: 'tenders',
  key: searchKey,
  async answer(search, load) {
    const findings = await load(SEARCHES[search.country], search);
    return derive(findings, (value) => ({ ...value, source: MARKETPLACES[search.country] }));
  },
  dated: (answer, now) =>
    answer.value.source === 'pncp'
      ? derive(answer, (value) => ({ ...value, notices: value.notices.map((notice) => noticeAt(notice, now)) }))
      : answer,
};
