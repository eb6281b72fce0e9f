import { knownDomains } from '../../sources/domains/known-domains.ts';
import { rdap } from '../../sources/domains/rdap.ts';
import { receitaFederal } from '../../sources/receita-federal/receita-federal.ts';
import { rues } from '../../sources/rues/rues.ts';
import { sii } from '../../sources/sii/source.ts';
import { website } from '../../sources/website/website.ts';
import { defineModule } from '../module.ts';
import { EnrichResolver } from './graphql.ts';
import { enrichRoute } from './rest.ts';

/** Company profiles by tax id or by domain (BR, CL). */
export const enrich = defineModule({
  name: 'enrich',
  sources: [receitaFederal, sii, rues, knownDomains, rdap, website],
  resolvers: [EnrichResolver],
  routes: [enrichRoute],
});
