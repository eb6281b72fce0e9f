import { defineModule } from '../module.ts';
import { DebarmentResolver } from './graphql.ts';
import { debarmentRoute } from './rest.ts';
import { debarmentSources } from './source.ts';

/** Bans from public contracts and anti-corruption penalties in Brazil. */
export const debarment = defineModule({
  name: 'debarment',
  sources: debarmentSources,
  resolvers: [DebarmentResolver],
  routes: [debarmentRoute],
});
