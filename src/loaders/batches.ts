import { bulkhead } from 'cockatiel';
import type { Found } from '../domain/answer.ts';
import { sourceUnavailable } from '../domain/errors.ts';
import { SECOND_MS } from '../domain/time.ts';

/** A call that has not begun by then never does: with its own deadline behind it, the whole ends within 15 s. */
const START_WITHIN_MS = 9 * SECOND_MS;

/**
 * A batch of single calls to `source`, side by side but at most 16 at a time, so that a long list does not flood it.
 * @throws AppError SOURCE_UNAVAILABLE for the calls that a slow source leaves no time for
 */
export function each<K, V>(source: string, keys: readonly K[], call: (key: K) => Promise<Found<V>>): readonly Promise<Found<V>>[] {
  const places = bulkhead(16, Number.POSITIVE_INFINITY);
  const latestStart = performance.now() + START_WITHIN_MS;
  return keys.map((key) =>
    places.execute(() => {
      if (performance.now() > latestStart) throw sourceUnavailable(source, 'too many calls before this one');
      return call(key);
    }),
  );
}
