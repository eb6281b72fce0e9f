/** What the cache of Apollo Client needs to know of the schema: `new InMemoryCache({ typePolicies, possibleTypes })`. */
export { possibleTypes, typePolicies } from './generated/caches.ts';
