import type { Clock } from '../domain/time.ts';

const MAX_ENTRIES = 5_000;
/** Short of the 5 s within which a revocation must work. */
const FRESH_MS = 4_000;
/** How old an entry may be to stand in for a database that fails. */
const STAND_IN_MS = 5_000;

interface Entry<T> {
  readonly value: T;
  readonly readAt: number;
}

/**
 * What was read of keys in the last seconds, found or not; the oldest go first. Those who ask for the same at the same time
 * share one read. Age counts from when the read was sent: what changed since may be missing from it.
 */
export class KeyCache<T> {
  readonly #now: Clock;
  readonly #kept = new Map<string, Entry<T>>();
  readonly #onTheirWay = new Map<string, Promise<T>>();

  constructor(now: Clock) {
    this.#now = now;
  }

  /** @throws what `read` throws, where nothing younger than 5 s can stand in */
  async through(key: string, read: () => Promise<T>): Promise<T> {
    const entry = this.#kept.get(key);
    if (entry && this.#now() - entry.readAt < FRESH_MS) return entry.value;
    const shared = this.#onTheirWay.get(key);
    if (shared) return shared;
    const reading = this.#read(key, read).finally(() => this.#onTheirWay.delete(key));
    this.#onTheirWay.set(key, reading);
    return reading;
  }

  clear(): void {
    this.#kept.clear();
  }

  async #read(key: string, read: () => Promise<T>): Promise<T> {
    const readAt = this.#now();
    try {
      const value = await read();
      this.#keep(key, { value, readAt });
      return value;
    } catch (error) {
      const entry = this.#kept.get(key);
      if (entry && this.#now() - entry.readAt < STAND_IN_MS) return entry.value;
      throw error;
    }
  }

  #keep(key: string, entry: Entry<T>): void {
    this.#kept.delete(key);
    this.#kept.set(key, entry);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_ENTRIES && oldest !== undefined) this.#kept.delete(oldest);
  }
}
