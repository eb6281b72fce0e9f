import type { CachePolicy } from '../../../cache/ttl-cache.ts';
import { legalPersonText } from '../../../domain/company.ts';
import { sourceUnavailable } from '../../../domain/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../../../domain/time.ts';
import type { FetchingLoader } from '../../../loaders/loader.ts';
import type { Source } from '../../../sources/source.ts';
import type { Marketplace, Page, SupplierRecords } from '../domain.ts';
import type { IndexedMarketplace, SupplierHits, SupplierQuestion } from '../sources/marketplace.ts';

/** Answers about suppliers: fresh for 6 h, usable up to 24 h; "none" for 15 min, up to 1 h, because first orders come. */
export const supplierCache = <V>(isNone: (value: V) => boolean): CachePolicy<V> => ({
  ttlMs: (value) => (isNone(value) ? 15 * MINUTE_MS : 6 * HOUR_MS),
  maxStaleAgeMs: (value) => (isNone(value) ? 1 : 24) * HOUR_MS,
  max: 2_000,
});

/** One text per legal person and stretch: the branches of a CNPJ share their orders. */
export const supplierQuestionText = ({ key, first, after }: SupplierQuestion): string =>
  [legalPersonText(key), first, after?.date, after?.code].join(' ');

/**
 * Suppliers' records from a marketplace's index, one SQL statement however many are asked. Never past the index's own staleness
 * limit, and forgotten as soon as a part of it is loaded anew.
 * @throws AppError SOURCE_UNAVAILABLE, also for a supplier of whom there is nothing while wanted months are missing
 */
export const indexLoader = <S extends IndexedMarketplace, T>(
  name: string,
  marketplace: Marketplace,
  source: Source<S>,
  ask: (instance: S, questions: readonly SupplierQuestion[]) => Promise<SupplierHits<T>>,
): FetchingLoader<SupplierQuestion, SupplierRecords<T>> => ({
  name,
  key: supplierQuestionText,
  cache: supplierCache(({ page }) => page.total === 0),
  cacheVersion: (use) => use(source).edition(),
  batch: (questions, use) => {
    const hits = ask(use(source), questions);
    return questions.map(async (_, i) => {
      const { pages, coverage, lacking, publishedOn, checkedAt, goodUntil } = await hits;
      const value = { page: pages[i] as Page<T>, source: marketplace, coverage };
      if (lacking && value.page.total === 0) throw sourceUnavailable(marketplace, 'nothing found, and months of the index are missing');
      return { value, dataAsOf: publishedOn, fetchedAt: checkedAt, goodUntil };
    });
  },
});
