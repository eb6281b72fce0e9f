import { defineModule } from '../module.ts';
import { PossibleMatchesResolver, SanctionsResolver } from './graphql.ts';
import { sanctionsRoute } from './rest.ts';
import { sanctionsSources } from './sources/lists.ts';

/** International sanctions lists, by tax id; candidates by name. */
export const sanctions = defineModule({
  name: 'sanctions',
  sources: sanctionsSources,
  resolvers: [SanctionsResolver, PossibleMatchesResolver],
  routes: [sanctionsRoute],
});
