import { type CompanyKey, companyKeyText } from '../domain/company.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/time.ts';
import type { OwnedPage, OwnedRequest, OwnershipPath, OwnershipPathQuery } from '../sources/cl-ownership/cl-ownership.ts';
import type { Composition } from '../sources/cl-ownership/composition.ts';
import { clOwnership } from '../sources/cl-ownership/source.ts';
import { copyFacts } from './copy-facts.ts';
import type { FetchingLoader } from './loader.ts';

const CACHE = { ttlMs: () => 6 * HOUR_MS, maxStaleAgeMs: () => 24 * HOUR_MS } as const;

/**
 * CompanyKey (CL) → its owners as declared to the tax registry, one SQL statement per batch. Answers are fresh for 6 h and stale up to 24 h.
 * The file is yearly and has no date inside, so its date is that of its publication. A new version of the file invalidates the cache.
 */
export const compositionLoader: FetchingLoader<CompanyKey, Composition> = {
  name: 'cl_compositions',
  key: companyKeyText,
  cache: CACHE,
  cacheVersion: (use) => use(clOwnership).version(),
  batch(keys, use) {
    const found = use(clOwnership).compositions(keys.map(({ taxId }) => taxId));
    return keys.map(async ({ taxId }) => {
      const answer = await found;
      return { value: answer.of(taxId), ...copyFacts(answer) };
    });
  },
};

/** OwnedRequest → a page of the companies that a Chilean company owns, one SQL statement per batch. Its age is as above. */
export const ownedLoader: FetchingLoader<OwnedRequest, OwnedPage> = {
  name: 'cl_owned',
  key: ({ owner, first, after }) => `${owner} ${first} ${after}`,
  cache: CACHE,
  cacheVersion: (use) => use(clOwnership).version(),
  batch(requests, use) {
    const found = use(clOwnership).owned(requests);
    return requests.map(async (_, i) => {
      const answer = await found;
      return { value: answer.pages[i] ?? { items: [], hasMore: false, unread: 0 }, ...copyFacts(answer) };
    });
  },
};

/** OwnershipPathQuery → a shortest path between two Chilean companies. One that was stopped by time is fresh for a minute. */
export const ownershipPathLoader: FetchingLoader<OwnershipPathQuery, OwnershipPath> = {
  name: 'cl_paths',
  key: ({ from, to, maxDepth }) => `${from} ${to} ${maxDepth}`,
  cache: {
    ttlMs: ({ stoppedBy }) => (stoppedBy === 'time' ? MINUTE_MS : 6 * HOUR_MS),
    maxStaleAgeMs: ({ stoppedBy }) => (stoppedBy === 'time' ? MINUTE_MS : 24 * HOUR_MS),
  },
  cacheVersion: (use) => use(clOwnership).version(),
  batch: (queries, use) =>
    queries.map(async (query) => {
      const { path, ...answer } = await use(clOwnership).path(query);
      return { value: path, ...copyFacts(answer) };
    }),
};
