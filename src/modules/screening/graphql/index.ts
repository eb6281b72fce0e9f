import { ScreeningMutations } from './mutations.ts';
import { ScreeningResolver } from './queries.ts';

/** GraphQL resolvers of screening. */
export const screeningResolvers = [ScreeningResolver, ScreeningMutations];
