/** What a batch gives for one key: the fact, and the date of the data where the upstream tells it. */
export interface Found<T> {
  readonly value: T;
  /** ISO date of the registry copy or list; null when fetched live and undated. */
  readonly dataAsOf: string | null;
  /** Epoch ms when its upstream was read; left out for "just now". */
  readonly fetchedAt?: number;
  /** Epoch ms after which the fact must not be relied on; left out where the cache policy alone decides. */
  readonly goodUntil?: number;
}

/** How old an answer is. Times are epoch ms. */
export interface Freshness {
  readonly fetchedAt: number;
  readonly dataAsOf: string | null;
  /** True when it was kept from an earlier fetch. */
  readonly cached: boolean;
  /** True when it is past its fresh age: its source is being asked again, or failed. */
  readonly stale: boolean;
  readonly expiresAt: number | null;
}

/** What an asker receives. Immutable: it may be shared by requests. */
export interface Answer<T> {
  readonly value: T;
  readonly freshness: Freshness;
}

/** A fact just read from a live source, which dates nothing. */
export const live = <T>(value: T): Found<T> => ({ value, dataAsOf: null });

/** A reading of an answer: as fresh as what it read. */
export const derive = <A, B>(answer: Answer<A>, read: (value: A) => B): Answer<B> => ({
  value: read(answer.value),
  freshness: answer.freshness,
});

/** A whole is as old as its oldest part, cached if any part was, stale if any part is. */
export function oldest(parts: readonly Freshness[]): Freshness {
  const [first, ...rest] = parts;
  if (!first) throw new Error('a whole needs at least one part');
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
