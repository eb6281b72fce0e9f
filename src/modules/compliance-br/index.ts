import { defineModule } from '../module.ts';
import { ComplianceBrResolver } from './graphql.ts';
import { complianceBrRoute } from './rest.ts';

/** The consolidated check: the five Brazilian checks and what they mean together. */
export const complianceBr = defineModule({
  name: 'compliance_br',
  sources: [],
  resolvers: [ComplianceBrResolver],
  routes: [complianceBrRoute],
});
