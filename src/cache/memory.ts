import { getHeapStatistics } from 'node:v8';
import { LRUCache } from 'lru-cache';

/** An entry of a cache: it can be computed or fetched again. */
export interface Kept {
  readonly owner: Owner;
  /** Estimated size. */
  readonly bytes: number;
}

/** A cache whose entries count in a CacheMemory. */
export interface Owner {
  /** For metrics: a loader, or `texts`. */
  readonly name: string;
  /** Deletes an entry. Called when the entry is no longer counted, also for an entry that is larger than the whole memory. */
  drop(kept: Kept): void;
}

/**
 * Limits the bytes of all caches of a process together: the least recently used entry of all owners is evicted first. A share for each
 * owner would leave most of the memory unused, because callers of one country or module need few of them.
 */
export class CacheMemory {
  readonly #kept: LRUCache<Kept, Kept>;
  readonly #bytes = new Map<string, number>();

  /** @param maxBytes 1 or more */
  constructor(maxBytes: number) {
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: (kept) => this.#forget(kept),
    });
  }

  add(kept: Kept): void {
    this.#count(kept.owner, kept.bytes);
    this.#kept.set(kept, kept);
    if (!this.#kept.has(kept)) this.#forget(kept);
  }

  /** Marks as used. */
  touch(kept: Kept): void {
    this.#kept.get(kept);
  }

  remove(kept: Kept): void {
    this.#kept.delete(kept);
  }

  /** Estimated bytes of each owner that has kept something. */
  bytes(): ReadonlyMap<string, number> {
    return this.#bytes;
  }

  #forget(kept: Kept): void {
    this.#count(kept.owner, -kept.bytes);
    kept.owner.drop(kept);
  }

  #count({ name }: Owner, bytes: number): void {
    this.#bytes.set(name, (this.#bytes.get(name) ?? 0) + bytes);
  }
}

/** Without a setting, the caches get this share of the heap limit: it follows the memory of the machine or container. */
const SHARE_OF_HEAP = 0.25;

/** @param maxBytes 1 or more; a share of the heap limit if undefined */
export const createCacheMemory = (maxBytes?: number): CacheMemory =>
  new CacheMemory(maxBytes ?? Math.floor(getHeapStatistics().heap_size_limit * SHARE_OF_HEAP));

/** Bytes that V8 needs, on 64 bits without compressed pointers: of a header with its pointers, of a reference, and of a string's header. */
const OBJECT = 24;
const REFERENCE = 8;
const STRING = 16;

/**
 * Estimates the bytes of plain data: objects, arrays, sets, strings and numbers, in about a tenth of the time of parsing its JSON. Texts
 * count one byte a character, as V8 stores those of Latin letters.
 */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return STRING + value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = OBJECT;
  if (Symbol.iterator in value) {
    for (const item of value as Iterable<unknown>) bytes += REFERENCE + sizeOf(item);
    return bytes;
  }
  for (const name in value) bytes += REFERENCE + sizeOf((value as Readonly<Record<string, unknown>>)[name]);
  return bytes;
}
