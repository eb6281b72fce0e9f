import type { CacheEntry, CacheMemory, CacheOwner } from '../cache/memory.ts';
import type { FreshEntry, LookupOptions } from '../cache/ttl-cache.ts';
import type { Answer } from '../domain/answer.ts';
import type { Clock } from '../domain/time.ts';

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

interface DerivedAnswer extends CacheEntry {
  readonly loader: object;
  readonly text: string;
  readonly answer: Answer<unknown>;
  readonly basis: Basis;
}

/** Bytes of a cached answer besides its key, its entries and the values derived from these: the object and its entries in maps. */
const ANSWER_BYTES = 400;

/**
 * Caches derived answers of this process as long as their dependencies are current. A warm request looks up one answer of a company and
 * checks its entries, and computes nothing again. The memory limits the size.
 */
export class DerivedCache implements CacheOwner {
  readonly name = 'derived';
  readonly #memory: CacheMemory;
  readonly #clock: Clock;
  /** Loader → text of the key → answer. */
  readonly #answers = new Map<object, Map<string, DerivedAnswer>>();

  constructor(memory: CacheMemory, clock: Clock) {
    this.#memory = memory;
    this.#clock = clock;
  }

  /** Returns the cached answer of a loader to a key, given as text, and its basis; undefined if the answer must be computed. */
  find(loader: object, text: string, options: LookupOptions): Pick<DerivedAnswer, 'answer' | 'basis'> | undefined {
    const kept = this.#answers.get(loader)?.get(text);
    if (!kept || !this.#isCurrent(kept.basis, options)) return undefined;
    this.#memory.touch(kept);
    return kept;
  }

  /** Stores an answer and replaces an earlier one for the same loader and key. */
  keep(loader: object, text: string, answer: Answer<unknown>, basis: Basis): void {
    const answers = this.#answers.get(loader) ?? new Map<string, DerivedAnswer>();
    this.#answers.set(loader, answers);
    const last = answers.get(text);
    if (last) this.#memory.remove(last);
    const kept: DerivedAnswer = { owner: this, bytes: ANSWER_BYTES + text.length, loader, text, answer, basis };
    answers.set(text, kept);
    this.#memory.add(kept);
  }

  drop(entry: CacheEntry): void {
    const { loader, text } = entry as DerivedAnswer;
    const answers = this.#answers.get(loader);
    if (answers?.get(text) === entry) answers.delete(text);
  }

  #isCurrent({ entries, dates }: Basis, options: LookupOptions): boolean {
    for (const entry of entries) if (!entry.owner.isCurrent(entry, options)) return false;
    for (const { date, dateAt } of dates) if (dateAt(this.#clock()) !== date) return false;
    return true;
  }
}
