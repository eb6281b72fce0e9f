import { z } from 'zod';
import { derive } from '../../../domain/answer.ts';
import type { Country } from '../../../domain/company.ts';
import { folded } from '../../../domain/text.ts';
import { HOUR_MS, MINUTE_MS } from '../../../domain/time.ts';
import { liveLoader } from '../../../loaders/live.ts';
import type { FetchingLoader, Offered } from '../../../loaders/loader.ts';
import type { Source } from '../../../sources/source.ts';
import { MARKETPLACES, type Marketplace, type TenderSearch, type TenderSearchResult } from '../domain.ts';
import { MONEY, type SearchableMarketplace } from '../sources/marketplace.ts';
import { mercadopublico } from '../sources/mercadopublico/mercadopublico.ts';
import { pncp } from '../sources/pncp/pncp.ts';
import { secopii } from '../sources/secopii/secopii.ts';

const searchKey = ({ country, keyword, from, to }: TenderSearch): string => [country, from, to, keyword && folded(keyword)].join(' ');

const text = z.string();

const FORM: z.ZodType<TenderSearchResult> = z.object({
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
  from: text.nullable(),
  to: text.nullable(),
});

/** Creates a loader with one live search per key. TTL 15 min, since tenders open and close all day; stale up to 6 h, 1 h for no result. */
const searchLoader = <S extends SearchableMarketplace>(source: Source<S>): FetchingLoader<TenderSearch, TenderSearchResult> =>
  liveLoader(source, {
    name: `tender_search_${source.name}`,
    key: searchKey,
    cache: { ttlMs: () => 15 * MINUTE_MS, maxStaleAgeMs: ({ notices }) => (notices.length === 0 ? 1 : 6) * HOUR_MS },
    form: FORM,
    call: (marketplace, search) => marketplace.search(search),
  });

const LOADERS: Readonly<Record<Country, FetchingLoader<TenderSearch, TenderSearchResult>>> = {
  CL: searchLoader(mercadopublico),
  BR: searchLoader(pncp),
  CO: searchLoader(secopii),
};

/** Result of a search, with its marketplace. */
export interface SearchAnswer extends TenderSearchResult {
  readonly source: Marketplace;
}

/**
 * Searches calls for tenders (CL, BR, CO). Returns all results, newest first; the APIs cut pages out of them.
 * @throws AppError INVALID_INPUT for a date range that the marketplace does not support, SOURCE_UNAVAILABLE
 */
export const tenderSearchLoader: Offered<TenderSearch, SearchAnswer> = {
  name: 'tender_search',
  module: 'tenders',
  key: searchKey,
  async answer(search, load) {
    const findings = await load(LOADERS[search.country], search);
    return derive(findings, (value) => ({ ...value, source: MARKETPLACES[search.country] }));
  },
};
