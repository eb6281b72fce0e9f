import { companyNameSource } from '../../graphql/company-name.ts';
import { receitaFederal } from '../../sources/receita-federal/receita-federal.ts';
import { rues } from '../../sources/rues/rues.ts';
import { sii } from '../../sources/sii/source.ts';
import { defineModule } from '../module.ts';
import { RegistrationResolver } from './graphql/registration.ts';
import { KybResolver } from './graphql.ts';
import { kybLoader } from './loader.ts';
import { registrationRoute } from './rest/registration.ts';
import { kybRoute } from './rest.ts';

/** Registration status at the tax registry or in the commercial register (know your business). */
export const kyb = defineModule({
  name: 'kyb',
  sources: [receitaFederal, sii, rues],
  resolvers: [KybResolver, RegistrationResolver],
  companyName: companyNameSource({
    loader: kybLoader,
    countries: kybLoader.countries,
    optionalIn: ['CO'],
    read: ({ companyName }) => companyName,
  }),
  routes: [kybRoute, registrationRoute],
});
