import { defineModule } from '../module.ts';
import { DismissalsResolver } from './graphql/dismissals.ts';
import { PossibleMatchesResolver, SanctionsResolver } from './graphql.ts';
import { sanctionsRoute } from './rest.ts';
import { dismissalAccountData, dismissalService } from './service/dismissals.ts';
import { sanctionsSources } from './sources/lists.ts';

/** International sanctions lists, by tax id; candidates by name, and what an account has dismissed of them. */
export const sanctions = defineModule({
  name: 'sanctions',
  sources: sanctionsSources,
  resolvers: [SanctionsResolver, PossibleMatchesResolver, DismissalsResolver],
  routes: [sanctionsRoute],
  services: [dismissalService],
  accountData: dismissalAccountData,
});
