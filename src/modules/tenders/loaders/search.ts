import { derive } from '../../../domain/answer.ts';
import type { Country } from '../../../domain/company.ts';
import { folded } from '../../../domain/text.ts';
import { HOUR_MS, MINUTE_MS } from '../../../domain/time.ts';
import { liveLoader } from '../../../loaders/live.ts';
import type { FetchingLoader, Offered } from '../../../loaders/loader.ts';
import type { Source } from '../../../sources/source.ts';
import { MARKETPLACES, type Marketplace, type TenderSearch, type TenderSearchResult } from '../domain.ts';
import type { SearchableMarketplace } from '../sources/marketplace.ts';
import { mercadopublico } from '../sources/mercadopublico/mercadopublico.ts';
import { pncp } from '../sources/pncp/pncp.ts';
import { secopii } from '../sources/secopii/secopii.ts';

const searchKey = ({ country, keyword, from, to }: TenderSearch): string => [country, from, to, keyword && folded(keyword)].join(' ');

/** One live search a key. Tenders open and close all day: fresh for 15 min, usable up to 6 h, and "none" up to 1 h. */
const searchLoader = <S extends SearchableMarketplace>(source: Source<S>): FetchingLoader<TenderSearch, TenderSearchResult> =>
  liveLoader(source, {
    name: `tender_search_${source.name}`,
    key: searchKey,
    cache: { ttlMs: () => 15 * MINUTE_MS, maxStaleAgeMs: ({ notices }) => (notices.length === 0 ? 1 : 6) * HOUR_MS, max: 200 },
    call: (marketplace, search) => marketplace.search(search),
  });

const LOADERS: Readonly<Record<Country, FetchingLoader<TenderSearch, TenderSearchResult>>> = {
  CL: searchLoader(mercadopublico),
  BR: searchLoader(pncp),
  CO: searchLoader(secopii),
};

/** The notices that a marketplace found. */
export interface SearchAnswer extends TenderSearchResult {
  readonly source: Marketplace;
}

/**
 * TenderSearch (CL, BR, CO) → all that is found, newest first; the faces cut pages out of it.
 * @throws AppError INVALID_INPUT for a window that the marketplace cannot be asked for, SOURCE_UNAVAILABLE
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
