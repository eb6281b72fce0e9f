import type { Localized } from '../messages/message.ts';
import type { SourceName } from './catalogue.ts';

/** The result of a batch for one key: a value, and the date of the data if the upstream states it. */
export interface Found<T> {
  readonly value: T;
  /** ISO date of the registry copy or list; null for a live answer without a date. */
  readonly dataAsOf: string | null;
  /** Epoch ms at which the upstream was read; undefined for "now". */
  readonly fetchedAt?: number;
  /** Epoch ms after which the value must not be served; undefined if only the cache policy decides. */
  readonly goodUntil?: number;
}

/** The version of a published list that an answer was read from. Times are epoch ms. */
export interface ListFacts {
  readonly list: SourceName;
  /** ISO date of the version; null if the publisher states none. */
  readonly publishedOn: string | null;
  readonly loadedAt: number;
  readonly entries: number;
  /** SHA-256 of the file, hexadecimal. */
  readonly checksum: string;
}

/** Age of an answer. Times are epoch ms. */
export interface Freshness {
  readonly fetchedAt: number;
  readonly dataAsOf: string | null;
  /** True when the answer came from the cache. */
  readonly cached: boolean;
  /** True when the answer is older than its TTL: a refresh is running, or failed. */
  readonly stale: boolean;
  readonly expiresAt: number | null;
}

/** A value and its freshness. It is immutable, because requests share it. */
export interface Answer<T> {
  readonly value: T;
  readonly freshness: Freshness;
}

/** Wraps a value just read from a live source, which states no date. */
export const live = <T>(value: T): Found<T> => ({ value, dataAsOf: null });

/** A value in memory, or the promise of one. Code that runs for every company creates no promise for a value in memory. */
export type Awaitable<T> = T | Promise<T>;

/** Calls `read` at once with a value in memory, or when the promise is fulfilled. */
export const whenKnown = <A, B>(value: Awaitable<A>, read: (value: A) => Awaitable<B>): Awaitable<B> =>
  value instanceof Promise ? value.then(read) : read(value);

/** Returns the values if all are in memory, else null. */
export const inMemory = <T extends readonly unknown[]>(values: T): { readonly [I in keyof T]: Awaited<T[I]> } | null =>
  values.some((value) => value instanceof Promise) ? null : (values as { readonly [I in keyof T]: Awaited<T[I]> });

/** Maps the value of an answer and keeps its freshness. */
export const derive = <A, B>(answer: Answer<A>, read: (value: A) => B): Answer<B> => ({
  value: read(answer.value),
  freshness: answer.freshness,
});

/** Combines the freshness of several answers: as old as the oldest, cached if any was cached, stale if any is stale. */
export function oldest(parts: readonly Freshness[]): Freshness {
  const [first, ...rest] = parts;
  if (!first) throw new Error('at least one part is required');
  return rest.reduce(
    (whole, part) => ({
      fetchedAt: Math.min(whole.fetchedAt, part.fetchedAt),
      dataAsOf: earlier(whole.dataAsOf, part.dataAsOf),
      cached: whole.cached || part.cached,
      stale: whole.stale || part.stale,
      expiresAt: whole.expiresAt === null || part.expiresAt === null ? null : Math.min(whole.expiresAt, part.expiresAt),
    }),
    first,
  );
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

/** Completeness of a list. @param reason why items may be missing; null if none are known to be */
export const completenessOf = (reason: Localized | null): 'complete' | 'partial' => (reason === null ? 'complete' : 'partial');
