import { sii } from '../../sources/sii/source.ts';
import { defineModule } from '../module.ts';
import { TaxHealthResolver } from './graphql.ts';
import { taxHealthRoute } from './rest.ts';
import { taxDebtors } from './source.ts';

/** Tax standing of Chilean companies. */
export const taxHealth = defineModule({
  name: 'tax_health',
  sources: [sii, taxDebtors],
  resolvers: [TaxHealthResolver],
  routes: [taxHealthRoute],
});
