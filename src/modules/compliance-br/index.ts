import { defineModule } from '../module.ts';
import { ComplianceBrResolver, EvidenceResolver } from './graphql.ts';
import { complianceBrJobs } from './jobs.ts';
import { evidenceRoutes } from './rest/evidence.ts';
import { complianceBrRoute } from './rest.ts';
import { evidenceAccountData, evidenceService } from './service/evidence.ts';

/** The consolidated check: the five Brazilian checks and what they mean together, with receipts. */
export const complianceBr = defineModule({
  name: 'compliance_br',
  sources: [],
  resolvers: [ComplianceBrResolver, EvidenceResolver],
  routes: [complianceBrRoute, ...evidenceRoutes],
  services: [evidenceService],
  jobs: complianceBrJobs,
  accountData: evidenceAccountData,
  publicDocuments: {
    '/.well-known/quipu-evidence-keys': async (open) => ({ keys: await open(evidenceService).keys.published() }),
  },
});
