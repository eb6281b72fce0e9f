import { defineModule } from '../module.ts';
import { LaborResolver } from './graphql.ts';
import { laborRoute } from './rest.ts';
import { trabalhoEscravo } from './source.ts';

/** Employers found using labour analogous to slavery in Brazil. */
export const labor = defineModule({
  name: 'labor',
  sources: [trabalhoEscravo],
  resolvers: [LaborResolver],
  routes: [laborRoute],
});
