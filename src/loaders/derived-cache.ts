import type { Dependent, FreshEntry, LookupOptions } from '../cache/lookups.ts';
import type { CacheEntry, CacheMemory, CacheOwner } from '../cache/memory.ts';
import type { Answer } from '../domain/answer.ts';
import { type Clock, SECOND_MS } from '../domain/time.ts';

/** Dependencies of an answer. It stays valid as long as every entry is fresh and every date is today's. */
export interface Basis {
  readonly entries: readonly FreshEntry[];
  readonly dates: readonly { readonly date: string; readonly dateAt: (ms: number) => string }[];
}

/** The clock of a derived loader. */
export interface LoaderTime {
  /** Returns epoch ms. An answer that depends on it is computed for each request. */
  now(): number;
  /** Returns today's date. An answer that depends on it is cached until the date changes. */
  today(dateAt: (ms: number) => string): string;
}

/** Collects the basis of an answer while the answer is computed. */
export class BasisCollector implements LoaderTime {
  readonly #clock: Clock;
  /** Entries, each once, because several answers below may be computed from one. */
  readonly #entries = new Set<FreshEntry>();
  readonly #dates: Basis['dates'][number][] = [];
  #isKnown = true;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Null for an answer that may differ at the next request although no data have changed. */
  get basis(): Basis | null {
    return this.#isKnown ? { entries: [...this.#entries], dates: [...this.#dates] } : null; // copies allocate no additional capacity
  }

  add(part: Basis | null): void {
    this.#isKnown &&= part !== null;
    for (const entry of part?.entries ?? []) this.#entries.add(entry);
    this.#dates.push(...(part?.dates ?? []));
  }

  now(): number {
    this.#isKnown = false;
    return this.#clock();
  }

  today(dateAt: (ms: number) => string): string {
    const date = dateAt(this.#clock());
    this.#dates.push({ date, dateAt });
    return date;
  }
}

interface DerivedAnswer extends CacheEntry, Dependent {
  readonly loader: object;
  readonly text: string;
  readonly answer: Answer<unknown>;
  readonly basis: Basis;
  /** Epoch ms of the oldest request for one of its entries. */
  readonly requestedAt: number;
  /** Epoch ms from which one of its entries is not fresh any more. */
  readonly freshUntil: number;
  /** State of the versions of the lists at which all entries were found current; null before the first time. */
  versions: number | null;
  /** Epoch ms at which its entries were last marked as used. */
  touchedAt: number;
}

/**
 * Bytes of a cached answer besides its key, its entries and the values derived from these: the object, its entries in maps, and what the
 * entries know of it.
 */
const ANSWER_BYTES = 600;
/** Time in ms for which the entries of an answer are not marked as used once more. */
const TOUCH_MS = SECOND_MS;

export interface DerivedCacheOptions {
  readonly memory: CacheMemory;
  readonly now: Clock;
  /** Returns a number that changes when a list gets another version. It is read once for a request and millisecond. */
  readonly versions: () => number;
  /** True if lookups are counted for metrics. */
  readonly countsHits: boolean;
}

/**
 * Caches derived answers of this process as long as their dependencies are current. A warm request looks up one answer of a company, and
 * computes nothing again. It does not read the entries behind the answer either: an entry that leaves its cache marks the answer as broken,
 * and the other limits are kept with the answer. The memory limits the size.
 */
export class DerivedCache implements CacheOwner {
  readonly name = 'derived';
  readonly #options: DerivedCacheOptions;
  /** Loader → text of the key → answer. */
  readonly #answers = new Map<object, Map<string, DerivedAnswer>>();
  /** The last result of `versions`, and the lookups that it is valid for. */
  #versions: { readonly number: number; readonly at: number; readonly of: LookupOptions | null } = { number: 0, at: Number.NaN, of: null };

  constructor(options: DerivedCacheOptions) {
    this.#options = options;
  }

  /**
   * Returns the cached answer of a loader to a key, given as text, and its basis; undefined if the answer must be computed.
   * @param options one object for all lookups of a request
   */
  find(loader: object, text: string, options: LookupOptions): Pick<DerivedAnswer, 'answer' | 'basis'> | undefined {
    const kept = this.#answers.get(loader)?.get(text);
    return kept && this.#isCurrent(kept, options) ? kept : undefined;
  }

  /** Returns true if `find` would return the answer, whose entries need not be read for it. It counts nothing. */
  has(loader: object, text: string, options: LookupOptions): boolean {
    const kept = this.#answers.get(loader)?.get(text);
    const now = this.#options.now();
    return kept !== undefined && isInTime(kept, now, options) && kept.versions === this.#versionsAt(now, options);
  }

  /** Stores an answer and replaces an earlier one for the same loader and key. */
  keep(loader: object, text: string, answer: Answer<unknown>, basis: Basis): void {
    const { memory } = this.#options;
    const answers = this.#answers.get(loader) ?? new Map<string, DerivedAnswer>();
    this.#answers.set(loader, answers);
    const last = answers.get(text);
    if (last) memory.remove(last);
    const kept: DerivedAnswer = {
      owner: this,
      bytes: ANSWER_BYTES + text.length,
      loader,
      text,
      answer,
      basis,
      requestedAt: Math.min(...basis.entries.map((entry) => entry.requestedAt)),
      freshUntil: Math.min(...basis.entries.map((entry) => entry.freshUntil)),
      isBroken: false,
      versions: null,
      touchedAt: Number.NEGATIVE_INFINITY,
    };
    for (const { dependents } of basis.entries) dependents.push(kept);
    answers.set(text, kept);
    memory.add(kept);
  }

  drop(entry: CacheEntry): void {
    const kept = entry as DerivedAnswer;
    const { loader, text, basis } = kept;
    const answers = this.#answers.get(loader);
    if (answers?.get(text) === entry) answers.delete(text);
    for (const { dependents } of basis.entries) removeFrom(dependents, kept);
  }

  #isCurrent(kept: DerivedAnswer, options: LookupOptions): boolean {
    const now = this.#options.now();
    if (!isInTime(kept, now, options)) return false;
    const versions = this.#versionsAt(now, options);
    if (kept.versions === versions) this.#use(kept, now);
    else {
      for (const entry of kept.basis.entries) if (!entry.owner.isCurrent(entry, options)) return false;
      kept.versions = versions;
      kept.touchedAt = now;
      this.#options.memory.touch(kept);
    }
    return true;
  }

  /** Counts a lookup of every entry, and marks them as used, if they were not in the last second. */
  #use(kept: DerivedAnswer, now: number): void {
    const { memory, countsHits } = this.#options;
    memory.touch(kept);
    const { entries } = kept.basis;
    if (countsHits) for (const { owner } of entries) owner.countHit();
    if (now - kept.touchedAt < TOUCH_MS) return;
    kept.touchedAt = now;
    for (const entry of entries) memory.touch(entry);
  }

  #versionsAt(at: number, of: LookupOptions): number {
    if (this.#versions.at !== at || this.#versions.of !== of) this.#versions = { number: this.#options.versions(), at, of };
    return this.#versions.number;
  }
}

/** True for an answer whose entries are all in their caches, fresh and late enough, on the same dates. */
function isInTime(kept: DerivedAnswer, now: number, { since = Number.NEGATIVE_INFINITY }: LookupOptions): boolean {
  if (kept.isBroken || now >= kept.freshUntil || kept.requestedAt < since) return false;
  for (const { date, dateAt } of kept.basis.dates) if (dateAt(now) !== date) return false;
  return true;
}

/** Removes an item from an array whose order does not matter. */
function removeFrom<T>(items: T[], item: T): void {
  const at = items.indexOf(item);
  const last = at < 0 ? undefined : items.pop();
  if (last !== undefined && last !== item) items[at] = last;
}

/** Creates a function that returns a number, which changes when the data of a cache get another version. */
export function versionCounter(caches: () => Iterable<{ readonly version: string | null }>): () => number {
  const last = new Map<object, string | null>();
  let changes = 0;
  return () => {
    for (const cache of caches()) {
      const { version } = cache;
      if (last.get(cache) === version) continue;
      last.set(cache, version);
      changes += 1;
    }
    return changes;
  };
}
