/** Describes the schema to the cache of Apollo Client: `new InMemoryCache({ typePolicies, possibleTypes })`. */
export { possibleTypes, typePolicies } from './generated/caches.ts';
