import { DAY_MS } from '../../domain/time.ts';
import { recurringJob } from '../../jobs/job.ts';
import { defineModule } from '../module.ts';
import { EvidenceResolver } from './graphql/evidence.ts';
import { NotesResolver } from './graphql/notes.ts';
import { ReceiptsResolver } from './graphql/receipts.ts';
import { ResultPartsResolver } from './graphql/result-parts.ts';
import { ComplianceResolver } from './graphql.ts';
import { evidenceRoutes } from './rest/evidence.ts';
import { complianceBrRoute, complianceRoute } from './rest.ts';
import { noteAccountData, noteService } from './service/notes.ts';
import { evidenceAccountData, evidenceService } from './service/receipts.ts';

const purgeJob = recurringJob('evidence.purge', DAY_MS, ({ open }) => open(evidenceService).purge());

/** The consolidated check of Brazilian companies: five checks, the risk level derived from them, and the receipts of all countries. */
export const complianceBr = defineModule({
  name: 'compliance_br',
  sources: [],
  resolvers: [ComplianceResolver, EvidenceResolver, ReceiptsResolver, ResultPartsResolver],
  routes: [complianceBrRoute, ...evidenceRoutes],
  services: [evidenceService],
  jobs: [purgeJob],
  accountData: evidenceAccountData,
  publicDocuments: {
    '/.well-known/quipu-evidence-keys': async (open) => ({ keys: await open(evidenceService).keys.published() }),
  },
});

/**
 * The consolidated check of the other countries, by the same engine, whose GraphQL field and receipts are those of `compliance_br`, and the
 * notes about companies of all countries.
 */
export const compliance = defineModule({
  name: 'compliance',
  sources: [],
  resolvers: [NotesResolver],
  routes: [complianceRoute],
  services: [noteService],
  accountData: noteAccountData,
});
