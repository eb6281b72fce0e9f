import { defineModule } from '../module.ts';
import { ContractFinesResolver } from './graphql/contract-fines.ts';
import { DebarmentResolver } from './graphql.ts';
import { fineSources } from './loaders/contract-fines.ts';
import { contractFinesRoute } from './rest/contract-fines.ts';
import { debarmentRoute } from './rest.ts';
import { debarmentSources } from './source.ts';
import { optionalDebarmentSources } from './sources/optional.ts';

/** Bans from public contracts and anti-corruption penalties in Brazil, and contract fines in Colombia. */
export const debarment = defineModule({
  name: 'debarment',
  sources: [...debarmentSources, ...optionalDebarmentSources, ...fineSources],
  resolvers: [DebarmentResolver, ContractFinesResolver],
  routes: [debarmentRoute, contractFinesRoute],
});
