import { getHeapStatistics } from 'node:v8';
import { LRUCache } from 'lru-cache';

/** An entry of a cache, which can be computed or fetched again. */
export interface CacheEntry {
  readonly owner: CacheOwner;
  /** Estimated size. */
  readonly bytes: number;
}

/** A cache whose entries count in a CacheMemory. */
export interface CacheOwner {
  /** Name for metrics: a loader, `derived`, or `texts`. */
  readonly name: string;
  /** Deletes an entry. It is called when the entry is evicted, also for an entry that is larger than the whole memory. */
  drop(entry: CacheEntry): void;
}

/**
 * Limits the bytes of all caches of a process together. The least recently used entry of all owners is evicted first. A share per owner
 * would leave most of the memory unused, because callers of one country or module need few owners.
 */
export class CacheMemory {
  readonly #entries: LRUCache<CacheEntry, CacheEntry>;
  readonly #bytes = new Map<string, number>();

  /** @param maxBytes limit of 1 or more */
  constructor(maxBytes: number) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: (entry) => this.#dropped(entry),
    });
  }

  /** Counts an entry, and evicts the least recently used ones until all fit. An entry larger than `maxBytes` is evicted at once. */
  add(entry: CacheEntry): void {
    this.#count(entry.owner, entry.bytes);
    this.#entries.set(entry, entry);
    if (!this.#entries.has(entry)) this.#dropped(entry);
  }

  /** Marks an entry as recently used. */
  touch(entry: CacheEntry): void {
    this.#entries.get(entry);
  }

  remove(entry: CacheEntry): void {
    this.#entries.delete(entry);
  }

  /** Returns the estimated bytes of the entries of each owner, by its name; 0 for an owner whose entries were all evicted. */
  bytes(): ReadonlyMap<string, number> {
    return this.#bytes;
  }

  #dropped(entry: CacheEntry): void {
    this.#count(entry.owner, -entry.bytes);
    entry.owner.drop(entry);
  }

  #count({ name }: CacheOwner, bytes: number): void {
    this.#bytes.set(name, (this.#bytes.get(name) ?? 0) + bytes);
  }
}

/** Share of the heap limit for the caches without a setting. The heap limit follows the memory of the machine or container. */
const SHARE_OF_HEAP = 0.25;

/** Creates the memory. @param maxBytes limit of 1 or more; a share of the heap limit if undefined */
export const createCacheMemory = (maxBytes?: number): CacheMemory =>
  new CacheMemory(maxBytes ?? Math.floor(getHeapStatistics().heap_size_limit * SHARE_OF_HEAP));

/**
 * Bytes that V8 needs on 64 bits without compressed pointers, for the header of an object, for a reference, and for the header of a
 * string.
 */
const OBJECT_BYTES = 24;
const REFERENCE_BYTES = 8;
const STRING_BYTES = 16;

/**
 * Estimates the bytes of plain data: objects, arrays, sets, strings and numbers, in about a tenth of the time of parsing its JSON. Texts
 * count one byte per character, which is how V8 stores texts of Latin letters.
 */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return STRING_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = OBJECT_BYTES;
  if (Symbol.iterator in value) {
    for (const item of value as Iterable<unknown>) bytes += REFERENCE_BYTES + sizeOf(item);
    return bytes;
  }
  for (const name in value) bytes += REFERENCE_BYTES + sizeOf((value as Readonly<Record<string, unknown>>)[name]);
  return bytes;
}
