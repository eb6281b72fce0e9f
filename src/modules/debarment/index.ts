import { defineModule } from '../module.ts';
import { DebarmentResolver } from './graphql.ts';
import { debarmentRoute } from './rest.ts';
import { debarmentSources } from './source.ts';
import { optionalDebarmentSources } from './sources/optional.ts';

/** Bans from public contracts and anti-corruption penalties in Brazil. */
export const debarment = defineModule({
  name: 'debarment',
  sources: [...debarmentSources, ...optionalDebarmentSources],
  resolvers: [DebarmentResolver],
  routes: [debarmentRoute],
});
