import { type Freshness, oldest } from '../domain/answer.ts';
import { type CompanyKey, companyKeyText, legalPersonText } from '../domain/company.ts';
import type { SourceName } from '../domain/source-names.ts';
import { HOUR_MS } from '../domain/time.ts';
import type { ListEntry, RegistrySource } from '../sources/registry/registry.ts';
import type { ListVersion } from '../sources/source.ts';
import type { FetchingLoader, Load } from './loader.ts';

/** What a published list says of one company: its entries (none is an answer) and the edition that says so. */
export interface Listing<R> {
  readonly entries: readonly ListEntry<R>[];
  readonly version: ListVersion;
}

/**
 * A published list → the loader of its entries by legal person (a CNPJ by its root): every key in one SQL statement.
 * Kept 6 h, 24 h at most, never past the list's own staleness limit, and forgotten as soon as a new edition answers.
 */
export const listLoader = <R>(list: RegistrySource<R>): FetchingLoader<CompanyKey, Listing<R>> => ({
  name: list.name,
  key: companyKeyText,
  cache: { ttlMs: () => 6 * HOUR_MS, maxStaleAgeMs: () => 24 * HOUR_MS, max: 50_000 },
  cacheVersion: (use) => use(list).version(),
  batch: (keys, use) => {
    const hits = use(list).lookup([...new Set(keys.map(legalPersonText))]);
    return keys.map((key) =>
      hits.then(({ version, entries, goodUntil }) => ({
        value: { entries: entries.get(legalPersonText(key)) ?? [], version },
        dataAsOf: version.publishedOn,
        fetchedAt: version.checkedAt,
        goodUntil,
      })),
    );
  },
});

/** Several lists, each with what it says. */
export interface Consultation<R> {
  /** The lists that were seen, in the order asked. */
  readonly seen: readonly { readonly list: SourceName; readonly listing: Listing<R> }[];
  readonly freshness: Freshness;
}

/**
 * Asks several lists about one company. A finding stands whatever became of the other lists; without one, every list must
 * have been seen: nothing reads as clean that was not looked at.
 * @throws AppError the first list's failure
 */
export async function consult<R>(
  lists: readonly FetchingLoader<CompanyKey, Listing<R>>[],
  key: CompanyKey,
  load: Load,
): Promise<Consultation<R>> {
  const answers = await Promise.allSettled(lists.map((list) => load(list, key)));
  const seen = answers.flatMap((answer, i) =>
    answer.status === 'fulfilled'
      ? [{ list: lists[i]?.name as SourceName, listing: answer.value.value, freshness: answer.value.freshness }]
      : [],
  );
  const failure = answers.find((answer) => answer.status === 'rejected');
  if (failure && !seen.some(({ listing }) => listing.entries.length > 0)) throw failure.reason;
  return { seen, freshness: oldest(seen.map(({ freshness }) => freshness)) };
}
