import { LRUCache } from 'lru-cache';
import type { Clock } from '../domain/time.ts';

export interface StaleIfErrorOptions {
  /** Maximum number of entries. The least recently used one is evicted first. */
  readonly max: number;
  /** Age up to which an entry is served without a read. */
  readonly ttlMs: number;
  /**
   * Age, counted from the same time as `ttlMs`, up to which an entry is served if the read fails (`stale-if-error` of RFC 5861). It may
   * depend on the failure and on the value.
   */
  readonly maxStaleAgeMs: number | ((error: unknown, value: unknown) => number);
  readonly now: Clock;
}

interface Entry<T> {
  readonly value: T;
  readonly readAt: number;
}

/**
 * Read-through cache of single values. Concurrent misses of one key share one read. The age of an entry counts from the start of
 * its read, because a change made during the read may be missing from it.
 */
export class StaleIfErrorCache<T> {
  readonly #options: StaleIfErrorOptions;
  readonly #entries: LRUCache<string, Entry<T>>;
  readonly #reads = new SingleFlight<T>();

  constructor(options: StaleIfErrorOptions) {
    this.#options = options;
    this.#entries = new LRUCache({ max: options.max });
  }

  /** Returns the entry of a key, or reads it. @throws the error of `read` when no entry younger than `maxStaleAgeMs` is cached */
  async get(key: string, read: () => Promise<T>): Promise<T> {
    const entry = this.#younger(key, this.#options.ttlMs);
    return entry ? entry.value : this.#reads.run(key, () => this.#read(key, read));
  }

  /** Returns true for a key that `get` would answer without a read. */
  has(key: string): boolean {
    return this.#younger(key, this.#options.ttlMs) !== undefined;
  }

  /** Returns the value that `get` would return without a read; undefined if it would read. */
  peek(key: string): T | undefined {
    return this.#younger(key, this.#options.ttlMs)?.value;
  }

  /** Returns the last value that was read, of any age; undefined if there is none. */
  last(key: string): T | undefined {
    return this.#entries.peek(key)?.value;
  }

  clear(): void {
    this.#entries.clear();
  }

  async #read(key: string, read: () => Promise<T>): Promise<T> {
    const readAt = this.#options.now();
    try {
      const value = await read();
      this.#entries.set(key, { value, readAt });
      return value;
    } catch (error) {
      const { maxStaleAgeMs } = this.#options;
      const last = this.#entries.get(key);
      const ageMs = typeof maxStaleAgeMs === 'number' ? maxStaleAgeMs : maxStaleAgeMs(error, last?.value);
      if (last && this.#options.now() - last.readAt < ageMs) return last.value;
      throw error;
    }
  }

  #younger(key: string, ageMs: number): Entry<T> | undefined {
    const entry = this.#entries.get(key);
    return entry && this.#options.now() - entry.readAt < ageMs ? entry : undefined;
  }
}

/** Shares one running call among concurrent callers of the same key. It keeps nothing once the call has settled. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Promise<T>>();

  /** Starts `call`, or joins the running call of this key. Rejects with the failure of the shared call. */
  run(key: string, call: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running) return running;
    const started = call().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}
