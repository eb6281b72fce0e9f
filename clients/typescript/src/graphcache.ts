/** What urql's Graphcache needs to know of the schema: `cacheExchange({ keys })`. */
export { keys } from './generated/caches.ts';
