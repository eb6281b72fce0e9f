import type { Answer } from '../domain/answer.ts';
import type { CacheEntry, CacheOwner } from './memory.ts';

export type LookupResult = 'hit' | 'stale' | 'miss';

export interface LookupOptions {
  /** Id of the caller, for `fetch`. */
  readonly caller?: string | undefined;
  /** Object of the request, for `fetch`. */
  readonly request?: object | undefined;
  /** Epoch ms. Answers requested before it do not count. */
  readonly since?: number;
  /** Aborts when the caller stops waiting. A fetch that no caller waits for is cancelled. */
  readonly signal?: AbortSignal;
}

/** Something that was computed from entries. It is valid only while the cache has all of them. */
export interface Dependent {
  /** Set when one of the entries has left the cache. */
  isBroken: boolean;
}

/** An entry that was found fresh. `owner.isCurrent` tells whether it still is. */
export interface FreshEntry<V = unknown> extends CacheEntry {
  readonly owner: EntryOwner;
  readonly answer: Answer<V>;
  /** Epoch ms at which its batch was sent. The answer may lack later changes. */
  readonly requestedAt: number;
  /** Epoch ms from which it is not fresh any more. */
  readonly freshUntil: number;
  /** Derived answers that are marked as broken when the entry leaves the cache. */
  readonly dependents: Dependent[];
}

export interface EntryOwner extends CacheOwner {
  /** Returns true while a lookup would find this entry fresh. It is itself a lookup: it is counted, and marks the entry as used. */
  isCurrent(entry: FreshEntry, options?: LookupOptions): boolean;
  /** Counts a lookup that has found an entry fresh without `isCurrent`. */
  countHit(): void;
}
