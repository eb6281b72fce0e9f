import { defineModule } from '../module.ts';
import { SanctionsResolver } from './graphql.ts';
import { sanctionsRoute } from './rest.ts';
import { ofacSdn } from './sources/ofac-sdn.ts';
import { unConsolidated } from './sources/un-consolidated.ts';

/** International sanctions lists, by tax id. */
export const sanctions = defineModule({
  name: 'sanctions',
  sources: [ofacSdn, unConsolidated],
  resolvers: [SanctionsResolver],
  routes: [sanctionsRoute],
});
