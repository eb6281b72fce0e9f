import { companyNameSource } from '../../graphql/company-name.ts';
import { receitaFederal } from '../../sources/receita-federal/receita-federal.ts';
import { rues } from '../../sources/rues/rues.ts';
import { sii } from '../../sources/sii/source.ts';
import { defineModule } from '../module.ts';
import { BranchesResolver } from './graphql/branches.ts';
import { CompanySearchResolver } from './graphql/company-search.ts';
import { HistoryResolver } from './graphql/history.ts';
import { RegistrationResolver } from './graphql/registration.ts';
import { KybResolver } from './graphql.ts';
import { kybLoader } from './loader.ts';
import { branchesRoute } from './rest/branches.ts';
import { companySearchRoute } from './rest/company-search.ts';
import { historyRoute } from './rest/history.ts';
import { registrationRoute } from './rest/registration.ts';
import { kybRoute } from './rest.ts';

/** Registration status at the tax registry or in the commercial register (know your business). */
export const kyb = defineModule({
  name: 'kyb',
  sources: [receitaFederal, sii, rues],
  resolvers: [KybResolver, RegistrationResolver, BranchesResolver, HistoryResolver, CompanySearchResolver],
  companyName: companyNameSource({
    loader: kybLoader,
    countries: kybLoader.countries,
    optionalIn: ['CO'],
    read: ({ companyName }) => companyName,
  }),
  routes: [kybRoute, registrationRoute, branchesRoute, historyRoute, companySearchRoute],
});
