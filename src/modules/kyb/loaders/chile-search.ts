import type { Found } from '../../../domain/answer.ts';
import { searchWords } from '../../../domain/text.ts';
import { HOUR_MS, MINUTE_MS } from '../../../domain/time.ts';
import { copyFacts } from '../../../loaders/copy-facts.ts';
import type { Offered } from '../../../loaders/loader.ts';
import { companyMessages } from '../../../messages/companies.ts';
import type { Sii } from '../../../sources/sii/sii.ts';
import { sii } from '../../../sources/sii/source.ts';
import type { FoundCompanies } from '../domain/company-search.ts';
import { requireLength, requireWords, type SearchPage } from './search-page.ts';

/** A search of the companies of Chile. */
export interface ChileSearch extends SearchPage {
  /** Words of the name, normalised; at least one. */
  readonly words: readonly string[];
}

/** @throws AppError INVALID_INPUT */
export function parseChileSearch(name: string, page: SearchPage): ChileSearch {
  requireLength(name);
  return { ...page, words: requireWords(searchWords(name), companyMessages.oneWord()) };
}

/**
 * ChileSearch → companies of Chile by name, from the copy of the tax registry. Answers are fresh for 15 min. A new version of the copy
 * invalidates the cache.
 * @throws AppError SOURCE_UNAVAILABLE
 */
export const chileSearchLoader: Offered<ChileSearch, FoundCompanies> = {
  name: 'company_search',
  module: 'kyb',
  key: ({ words, first, after }) => [words.join(' '), first, after?.rank, after?.taxId].join('|'),
  cache: { ttlMs: () => 15 * MINUTE_MS, maxStaleAgeMs: () => HOUR_MS },
  cacheVersion: (use) => use(sii).version(),
  batch: (searches, use) => searches.map((search) => searchCompanies(use(sii), search)),
};

async function searchCompanies(registry: Sii, { words, first, after }: ChileSearch): Promise<Found<FoundCompanies>> {
  const position = after && { score: after.rank, taxId: after.taxId };
  const { hits, isTruncated, ...answer } = await registry.search({ words, limit: first + 1, after: position });
  const unknown = { tradeName: null, status: null, municipality: null, state: null, openedOn: null };
  return {
    value: {
      companies: hits.slice(0, first).map((hit) => ({ ...hit, ...unknown, matchedOn: 'legal_name' as const, rank: hit.score })),
      hasMore: hits.length > first,
      limitedBy: isTruncated ? 'many_names' : null,
      searched: ['legal_name'],
      hasMunicipality: true,
    },
    ...copyFacts(answer),
  };
}
