import { bulkhead } from 'cockatiel';
import type { z } from 'zod';
import type { CachePolicy } from '../cache/ttl-cache.ts';
import { type Found, live } from '../domain/answer.ts';
import { sourceUnavailable } from '../domain/errors.ts';
import { SECOND_MS } from '../domain/time.ts';
import type { Source, SourceInstance, Use } from '../sources/source.ts';
import type { FetchingLoader } from './loader.ts';

export interface LiveLoaderSpec<K, V, S extends SourceInstance> {
  readonly name: string;
  /** Maps a key to its cache key: keys with equal texts are loaded once. */
  readonly key: (key: K) => string;
  readonly cache: CachePolicy<V>;
  /** Form of the values, in which processes share them through Redis. Without it each process fetches for itself. */
  readonly form?: z.ZodType<V>;
  /** Answers one key. `use` reaches further sources that the answer needs. */
  readonly call: (source: S, key: K, use: Use) => Promise<V>;
}

/** Creates the loader of a live source: one call per key, 16 concurrent calls per batch. */
export const liveLoader = <K, V, S extends SourceInstance>(
  source: Source<S>,
  { name, key, cache, form, call }: LiveLoaderSpec<K, V, S>,
): FetchingLoader<K, V> => ({
  name,
  key,
  cache,
  ...(form && { form }),
  batch: (keys, use) => callEach(source.name, keys, async (one) => live(await call(use(source), one, use))),
});

/** A call that has not started by then never starts: with its own deadline on top, the batch ends within 15 s. */
const START_WITHIN_MS = 9 * SECOND_MS;

/**
 * Calls `source` once per key, at most 16 calls at a time, so that a long batch does not flood it.
 * @throws AppError SOURCE_UNAVAILABLE for the keys whose call could not start within 9 s
 */
export function callEach<K, V>(source: string, keys: readonly K[], call: (key: K) => Promise<Found<V>>): readonly Promise<Found<V>>[] {
  const slots = bulkhead(16, Number.POSITIVE_INFINITY);
  const latestStart = performance.now() + START_WITHIN_MS;
  return keys.map((key) =>
    slots.execute(() => {
      if (performance.now() > latestStart) throw sourceUnavailable(source, 'too many calls before this one');
      return call(key);
    }),
  );
}
