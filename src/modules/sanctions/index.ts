import { defineModule } from '../module.ts';
import { SanctionsResolver } from './graphql.ts';
import { sanctionsRoute } from './rest.ts';
import { sanctionsSources } from './sources/lists.ts';

/** International sanctions lists, by tax id. */
export const sanctions = defineModule({
  name: 'sanctions',
  sources: sanctionsSources,
  resolvers: [SanctionsResolver],
  routes: [sanctionsRoute],
});
