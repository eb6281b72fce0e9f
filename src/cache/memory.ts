import { getHeapStatistics } from 'node:v8';
import { LRUCache } from 'lru-cache';

/** An entry of a cache: it can be computed or fetched again. */
export interface CacheEntry {
  readonly owner: CacheOwner;
  /** Estimated size. */
  readonly bytes: number;
}

/** A cache whose entries count in a CacheMemory. */
export interface CacheOwner {
  /** For metrics: the name of a loader, `derived`, or `texts`. */
  readonly name: string;
  /** Deletes an entry. Called when the entry is no longer counted, also for an entry that is larger than the whole memory. */
  drop(entry: CacheEntry): void;
}

/**
 * Limits the bytes of all caches of a process together: the least recently used entry of all owners is evicted first. A share for each
 * owner would leave most of the memory unused, because callers of one country or module need few of them.
 */
export class CacheMemory {
  readonly #entries: LRUCache<CacheEntry, CacheEntry>;
  readonly #bytes = new Map<string, number>();

  /** @param maxBytes 1 or more */
  constructor(maxBytes: number) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: (entry) => this.#dropped(entry),
    });
  }

  /** Counts an entry, and drops those that were used least recently until all fit. An entry larger than `maxBytes` is dropped at once. */
  add(entry: CacheEntry): void {
    this.#count(entry.owner, entry.bytes);
    this.#entries.set(entry, entry);
    if (!this.#entries.has(entry)) this.#dropped(entry);
  }

  /** Marks as used. */
  touch(entry: CacheEntry): void {
    this.#entries.get(entry);
  }

  remove(entry: CacheEntry): void {
    this.#entries.delete(entry);
  }

  /** Estimated bytes of the entries of each owner, by its name; 0 for one whose entries were all dropped. */
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

/** Without a setting, the caches get this share of the heap limit, which follows the memory of the machine or container. */
const SHARE_OF_HEAP = 0.25;

/** @param maxBytes 1 or more; a share of the heap limit if undefined */
export const createCacheMemory = (maxBytes?: number): CacheMemory =>
  new CacheMemory(maxBytes ?? Math.floor(getHeapStatistics().heap_size_limit * SHARE_OF_HEAP));

/** Bytes that V8 needs, on 64 bits without compressed pointers: for the header of an object, for a reference, and for the header of a string. */
const OBJECT_BYTES = 24;
const REFERENCE_BYTES = 8;
const STRING_BYTES = 16;

/**
 * Estimates the bytes of plain data: objects, arrays, sets, strings and numbers, in about a tenth of the time of parsing its JSON. Texts
 * count one byte a character, as V8 stores those of Latin letters.
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
