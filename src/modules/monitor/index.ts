import { defineModule } from '../module.ts';
import { checkJob } from './check.job.ts';
import { deliverJob } from './deliver.job.ts';
import { monitorResolvers } from './graphql/index.ts';
import { listJob } from './list.job.ts';
import { purgeJob } from './purge.job.ts';
import { monitorRoutes } from './rest.ts';
import { feedService } from './service/feed.ts';
import { monitorFigures } from './service/figures.ts';
import { guardService } from './service/guard.ts';
import { listNewsService } from './service/list-news.ts';
import { monitorsService } from './service/monitors.ts';
import { retentionService } from './service/retention.ts';
import { sweepService } from './service/sweep.ts';
import { webhooksService } from './service/webhooks.ts';
import { tickJob } from './tick.job.ts';

/** Watches companies and tells of changes: by webhook, by subscription, by query. */
export const monitor = defineModule({
  name: 'monitor',
  sources: [],
  resolvers: monitorResolvers,
  routes: monitorRoutes,
  services: [monitorsService, feedService, sweepService, guardService, listNewsService, retentionService, webhooksService],
  figures: monitorFigures,
  jobs: [tickJob, checkJob, listJob, purgeJob, deliverJob],
});
