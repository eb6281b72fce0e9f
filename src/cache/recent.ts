import { LRUCache } from 'lru-cache';

type Kept = string | boolean | object;

/**
 * Creates a map of at most `max` entries. A new entry replaces the least recently used one.
 * @param ttl age at which an entry is forgotten, in ms; by default it has none
 */
export const recent = <K extends Kept, V extends Kept>(max: number, ttl = 0): LRUCache<K, V> => new LRUCache({ max, ttl });
