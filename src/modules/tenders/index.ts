import { companyNameSource } from '../../graphql/company-name.ts';
import { knownDomains } from '../../sources/domains/known-domains.ts';
import { rdap } from '../../sources/domains/rdap.ts';
import { receitaFederal } from '../../sources/receita-federal/receita-federal.ts';
import { sii } from '../../sources/sii/source.ts';
import { website } from '../../sources/website/website.ts';
import { defineModule } from '../module.ts';
import { TendersResolver } from './graphql.ts';
import { supplierNameLoader } from './loader.ts';
import { awardedRoute, ordersRoute, searchRoute } from './rest.ts';
import { mercadopublico } from './sources/mercadopublico/mercadopublico.ts';
import { pncp } from './sources/pncp/pncp.ts';
import { secopii } from './sources/secopii/secopii.ts';

/** Sources that find the company behind a domain. */
const behindDomains = [knownDomains, rdap, website, receitaFederal, sii];

/** Public procurement of Chile, Brazil and Colombia: calls for tenders, and the orders and awards of a supplier. */
export const tenders = defineModule({
  name: 'tenders',
  sources: [mercadopublico, pncp, secopii, ...behindDomains],
  resolvers: [TendersResolver],
  companyName: companyNameSource({ loader: supplierNameLoader, countries: ['CO'], optionalIn: ['CO'], read: (name) => name }),
  routes: [ordersRoute, awardedRoute, searchRoute],
});
