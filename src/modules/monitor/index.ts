import { defineModule } from '../module.ts';
import { ChangesLeftResolver } from './graphql/changes-left.ts';
import { HeldChangesResolver } from './graphql/held.ts';
import { HistoryResolver } from './graphql/history.ts';
import { MailSubscriptionsResolver } from './graphql/mail-subscriptions.ts';
import { DeliveryMutations, MonitorMutations } from './graphql/mutations.ts';
import { ChangeResolver, CompanyChangesResolver, CompanyMonitorsResolver, DeliveryResolver, MonitorResolver } from './graphql/queries.ts';
import { MonitorSubscriptions } from './graphql/subscriptions.ts';
import { WatchedCompanyResolver } from './graphql/watched.ts';
import { monitorJobs } from './jobs.ts';
import { changesRoute } from './rest/changes.ts';
import { mailPage } from './rest/mail-page.ts';
import { subscriptionRoutes } from './rest/subscriptions.ts';
import { changeWebhook, webhookRoutes } from './rest/webhooks.ts';
import { monitorGauges } from './service/gauges.ts';
import { monitorService } from './service/monitor.ts';
import { monitorAccountData } from './service/retention.ts';
import { countHeldBySource } from './store/held-changes.ts';

/** Watches companies and publishes their changes by webhook, subscription and query. */
export const monitor = defineModule({
  name: 'monitor',
  sources: [],
  resolvers: [
    MonitorResolver,
    CompanyMonitorsResolver,
    ChangeResolver,
    ChangesLeftResolver,
    CompanyChangesResolver,
    DeliveryResolver,
    MonitorMutations,
    DeliveryMutations,
    MonitorSubscriptions,
    HeldChangesResolver,
    MailSubscriptionsResolver,
    WatchedCompanyResolver,
    HistoryResolver,
  ],
  routes: [...subscriptionRoutes, ...webhookRoutes, changesRoute],
  webhooks: [changeWebhook],
  publicPages: [mailPage],
  services: [monitorService],
  sourceExtras: { heldChanges: countHeldBySource },
  gauges: monitorGauges,
  accountData: monitorAccountData,
  jobs: monitorJobs,
});
