import { PARTS, POSSIBLE_TYPES } from './generated/parts.ts';

/** For Apollo Client: `new InMemoryCache({ typePolicies, possibleTypes })`. Objects without an id belong to the object around them. */
export const typePolicies: Record<string, { keyFields: false; merge: true }> = Object.fromEntries(
  PARTS.map((name) => [name, { keyFields: false, merge: true }]),
);

export const possibleTypes: Record<string, string[]> = POSSIBLE_TYPES;

/** For urql's Graphcache: `cacheExchange({ keys })`. */
export const keys: Record<string, () => null> = Object.fromEntries(PARTS.map((name) => [name, () => null]));
