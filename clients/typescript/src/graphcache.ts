/** Describes the schema to urql's Graphcache: `cacheExchange({ keys })`. */
export { keys } from './generated/caches.ts';
