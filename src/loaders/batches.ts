import { bulkhead } from 'cockatiel';
import type { Found } from '../domain/answer.ts';

/** A batch of single calls, side by side but at most `limit` at a time, so that a long list does not flood its source. */
export function each<K, V>(keys: readonly K[], limit: number, call: (key: K) => Promise<Found<V>>): readonly Promise<Found<V>>[] {
  const places = bulkhead(limit, Number.POSITIVE_INFINITY);
  return keys.map((key) => places.execute(() => call(key)));
}
