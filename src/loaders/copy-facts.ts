import type { CachePolicy } from '../cache/ttl-cache.ts';
import type { Found } from '../domain/answer.ts';
import type { SourceName } from '../domain/catalogue.ts';
import { AppError, sourceUnavailable } from '../domain/errors.ts';
import { HOUR_MS, isoDate, MINUTE_MS } from '../domain/time.ts';
import type { ListVersion } from '../sources/source.ts';

/**
 * Creates the cache policy of answers of a copy. They are fresh for 6 h and stale up to 24 h, because another version of the copy invalidates
 * them, too. A value that is not final, because another attempt may change it, is fresh for a minute.
 */
export const copyCache = <V>(isFinal: (value: V) => boolean): CachePolicy<V> => ({
  ttlMs: (value) => (isFinal(value) ? 6 * HOUR_MS : MINUTE_MS),
  maxStaleAgeMs: (value) => (isFinal(value) ? 24 * HOUR_MS : MINUTE_MS),
});

/** Cache policy of a copy whose values are all final. */
export const COPY_CACHE = copyCache<unknown>(() => true);

/** Returns the answer of a source to one key of a batch. @throws AppError its failure; SOURCE_UNAVAILABLE if there is none */
export function answered<T>(source: SourceName, answer: T | AppError | undefined): T {
  if (answer === undefined || answer instanceof AppError)
    throw answer ?? sourceUnavailable(source, 'it gave no answer to one key of a batch');
  return answer;
}

/**
 * Returns the facts of an answer of a copy. The date is that of the files, or the day of their load if the publisher states none.
 * @param answer.goodUntil epoch ms after which the data must not be used
 */
export const copyFacts = ({
  version,
  goodUntil,
}: {
  readonly version: ListVersion;
  readonly goodUntil: number;
}): Omit<Found<unknown>, 'value'> => ({
  dataAsOf: version.publishedOn ?? isoDate(version.loadedAt),
  fetchedAt: version.checkedAt,
  goodUntil,
});
