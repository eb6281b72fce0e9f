import type { Found } from '../domain/answer.ts';
import type { Use } from '../sources/source.ts';

/** How long an answer may stand. Ages in ms; they may depend on the answer (short for "the registry has none"). */
export interface CachePolicy<V> {
  /** Up to this age an answer is fresh: no call is made. */
  readonly softMs: (value: V) => number;
  /** Between soft and hard age it is given marked stale, while one refresh runs. Past it, only the source can answer. */
  readonly hardMs: (value: V) => number;
  /** Answers kept at most; the least recently used go first. */
  readonly max: number;
}

/**
 * A question answered from sources, for many keys at once. Kept by the process under `cache`.
 * The object itself is the token by which it is loaded.
 */
export interface FetchingLoader<K, V> {
  readonly name: string;
  /** One text per question: equal texts are one question. */
  readonly key: (key: K) => string;
  readonly cache: CachePolicy<V>;
  /** What kept answers belong to, e.g. the edition of a list: when it changes, they are void. */
  readonly epoch?: (use: Use) => string | null;
  /** Keys → one promise each, in order. Each settles by itself, so a slow key does not hold the others. */
  readonly batch: (keys: readonly K[], use: Use) => readonly Promise<Found<V>>[];
}
