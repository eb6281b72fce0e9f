import { companyNameSource } from '../../graphql/company-name.ts';
import { clOwnership } from '../../sources/cl-ownership/source.ts';
import { receitaFederal } from '../../sources/receita-federal/receita-federal.ts';
import { rues } from '../../sources/rues/rues.ts';
import { sii } from '../../sources/sii/source.ts';
import { defineModule } from '../module.ts';
import { BeneficialOwnersResolver } from './graphql/beneficial.ts';
import { DismissMatchResolver } from './graphql/dismissals.ts';
import { GroupFindingsResolver } from './graphql/findings.ts';
import { GroupResolver } from './graphql/group.ts';
import { HoldingsResolver } from './graphql/holdings.ts';
import { PathResolver } from './graphql/path.ts';
import { OwnerResolver, OwnersResolver } from './graphql.ts';
import { ownersLoader } from './loader.ts';
import { beneficialOwnersRoute } from './rest/beneficial.ts';
import { connectionRoute, groupRoute } from './rest/group.ts';
import { groupFindingsRoute } from './rest/group-findings.ts';
import { holdingsRoute } from './rest/holdings.ts';
import { otherCompaniesRoute } from './rest/other-companies.ts';
import { ownersRoute } from './rest.ts';

/** Registered owners and officers, and the companies among them. */
export const owners = defineModule({
  name: 'owners',
  sources: [receitaFederal, clOwnership, sii, rues],
  resolvers: [
    OwnersResolver,
    OwnerResolver,
    DismissMatchResolver,
    GroupResolver,
    HoldingsResolver,
    PathResolver,
    GroupFindingsResolver,
    BeneficialOwnersResolver,
  ],
  companyName: companyNameSource({
    loader: ownersLoader,
    countries: ownersLoader.countries,
    read: (owners) => owners?.companyName ?? null,
  }),
  routes: [ownersRoute, holdingsRoute, otherCompaniesRoute, groupRoute, groupFindingsRoute, beneficialOwnersRoute, connectionRoute],
});
