import { type CompanyKey, companyKeyText } from '../domain/company.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/time.ts';
import type { OwnedPage, OwnedRequest, OwnershipPath, OwnershipPathQuery } from '../sources/cl-ownership/cl-ownership.ts';
import type { Composition } from '../sources/cl-ownership/composition.ts';
import type { OwnershipHistory, OwnershipHistoryQuery } from '../sources/cl-ownership/history.ts';
import { clOwnership } from '../sources/cl-ownership/source.ts';
import { answered, COPY_CACHE, copyCache, copyFacts } from './copy-facts.ts';
import type { FetchingLoader } from './loader.ts';
import { type AsOfKey, asOfKeyText } from './registry-as-of.ts';

/**
 * CompanyKey (CL) → its owners as declared to the tax registry, one SQL statement per batch. Answers are fresh for 6 h and stale up to 24 h.
 * The file is yearly and has no date inside, so its date is that of its publication. A new version of the file invalidates the cache.
 */
export const compositionLoader: FetchingLoader<CompanyKey, Composition> = {
  name: 'cl_compositions',
  key: companyKeyText,
  cache: COPY_CACHE,
  cacheVersion: (use) => use(clOwnership).version(),
  batch(keys, use) {
    const found = use(clOwnership).compositions(keys.map(({ taxId }) => taxId));
    return keys.map(async ({ taxId }) => {
      const answer = await found;
      return { value: answer.of(taxId), ...copyFacts(answer) };
    });
  },
};

/**
 * AsOfKey (CL) → its owners in the last file up to the date, whose date is that of the answer. A new version of the file invalidates the cache.
 * @throws AppError NO_RECORD_THEN before the first file that was loaded, SOURCE_UNAVAILABLE
 */
export const compositionAsOfLoader: FetchingLoader<AsOfKey, Composition> = {
  name: 'cl_compositions_as_of',
  key: asOfKeyText,
  cache: COPY_CACHE,
  cacheVersion: (use) => use(clOwnership).historyVersion(),
  batch(keys, use) {
    const reading = use(clOwnership).compositionsAsOf(keys.map(({ taxId: rut, asOf }) => ({ rut, asOf })));
    return keys.map(async (_, i) => {
      const { found, ...answer } = await reading;
      const { composition: value, filedOn: dataAsOf } = answered('cl_ownership', found[i]);
      return { value, ...copyFacts(answer), dataAsOf };
    });
  },
};

/**
 * OwnershipHistoryQuery → a page of the differences between the files that were loaded, newest first, one SQL statement per batch.
 * @throws AppError NO_RECORD_THEN if no two files were compared, SOURCE_UNAVAILABLE
 */
export const ownershipHistoryLoader: FetchingLoader<OwnershipHistoryQuery, OwnershipHistory> = {
  name: 'cl_ownership_history',
  key: ({ rut, fields, first, after }) => [rut, fields.join(' '), first, after].join('|'),
  cache: { ttlMs: () => 15 * MINUTE_MS, maxStaleAgeMs: () => HOUR_MS },
  cacheVersion: (use) => use(clOwnership).historyVersion(),
  batch(queries, use) {
    const reading = use(clOwnership).history(queries);
    return queries.map(async (_, i) => {
      const { pages, ...answer } = await reading;
      return { value: answered('cl_ownership', pages[i]), ...copyFacts(answer) };
    });
  },
};

/** OwnedRequest → a page of the companies that a Chilean company owns, one SQL statement per batch. Its age is as above. */
export const ownedLoader: FetchingLoader<OwnedRequest, OwnedPage> = {
  name: 'cl_owned',
  key: ({ owner, first, after }) => `${owner} ${first} ${after}`,
  cache: COPY_CACHE,
  cacheVersion: (use) => use(clOwnership).version(),
  batch(requests, use) {
    const found = use(clOwnership).owned(requests);
    return requests.map(async (_, i) => {
      const { pages, ...answer } = await found;
      return { value: answered('cl_ownership', pages[i]), ...copyFacts(answer) };
    });
  },
};

/** OwnershipPathQuery → a shortest path between two Chilean companies. One that was stopped by time is fresh for a minute. */
export const ownershipPathLoader: FetchingLoader<OwnershipPathQuery, OwnershipPath> = {
  name: 'cl_paths',
  key: ({ from, to, maxDepth }) => `${from} ${to} ${maxDepth}`,
  cache: copyCache(({ stoppedBy }) => stoppedBy !== 'time'),
  cacheVersion: (use) => use(clOwnership).version(),
  batch: (queries, use) =>
    queries.map(async (query) => {
      const { path, ...answer } = await use(clOwnership).path(query);
      return { value: path, ...copyFacts(answer) };
    }),
};
