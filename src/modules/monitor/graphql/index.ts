import { DeliveryMutations, MonitorMutations } from './mutations.ts';
import { ChangeResolver, CompanyChangesResolver, CompanyMonitorsResolver, DeliveryResolver, MonitorResolver } from './queries.ts';
import { MonitorSubscriptions } from './subscriptions.ts';

/** The GraphQL face of monitoring. */
export const monitorResolvers = [
  MonitorResolver,
  CompanyMonitorsResolver,
  ChangeResolver,
  CompanyChangesResolver,
  DeliveryResolver,
  MonitorMutations,
  DeliveryMutations,
  MonitorSubscriptions,
];
