import { defineModule } from '../module.ts';
import { monitorResolvers } from './graphql/index.ts';
import { checkJob, deliverJob, listJob, purgeJob, tickJob } from './jobs.ts';
import { monitorRoutes } from './rest.ts';
import { monitorAccountData } from './service/account-data.ts';
import { sweepService } from './service/checks.ts';
import { feedService } from './service/events.ts';
import { monitorGauges } from './service/gauges.ts';
import { listNewsService } from './service/list-checks.ts';
import { monitorsService } from './service/monitors.ts';
import { guardService } from './service/quarantine.ts';
import { retentionService } from './service/retention.ts';
import { webhooksService } from './service/webhook-sender.ts';

/** Watches companies and tells of changes: by webhook, by subscription, by query. */
export const monitor = defineModule({
  name: 'monitor',
  sources: [],
  resolvers: monitorResolvers,
  routes: monitorRoutes,
  services: [monitorsService, feedService, sweepService, guardService, listNewsService, retentionService, webhooksService],
  gauges: monitorGauges,
  accountData: monitorAccountData,
  jobs: [tickJob, checkJob, listJob, purgeJob, deliverJob],
});
