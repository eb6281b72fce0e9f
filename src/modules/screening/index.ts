import { defineModule } from '../module.ts';
import { ScreeningMutations } from './graphql/mutations.ts';
import { ScreeningDeliveryResolver, ScreeningResolver } from './graphql/queries.ts';
import { screeningJobs } from './jobs.ts';
import { resultRoutes } from './rest/results.ts';
import { doneWebhook, screeningRoutes } from './rest/screenings.ts';
import { webhookRoutes } from './rest/webhook.ts';
import { screeningAccountData } from './service/account-data.ts';
import { screeningService } from './service/screening.ts';

/** Checks portfolios of up to 100,000 companies in the background. */
export const screening = defineModule({
  name: 'screening',
  sources: [],
  resolvers: [ScreeningResolver, ScreeningDeliveryResolver, ScreeningMutations],
  routes: [...screeningRoutes, ...resultRoutes, ...webhookRoutes],
  webhooks: [doneWebhook],
  services: [screeningService],
  accountData: screeningAccountData,
  jobs: screeningJobs,
});
