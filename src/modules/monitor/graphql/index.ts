import { DeliveryMutations, MonitorMutations } from './mutations.ts';
import { ChangeResolver, CompanyChangesResolver, CompanyMonitorsResolver, DeliveryResolver, MonitorResolver } from './queries.ts';
import { HeldChangesResolver } from './sources.ts';
import { MonitorSubscriptions } from './subscriptions.ts';

/** GraphQL resolvers of monitoring. */
export const monitorResolvers = [
  MonitorResolver,
  CompanyMonitorsResolver,
  ChangeResolver,
  CompanyChangesResolver,
  DeliveryResolver,
  MonitorMutations,
  DeliveryMutations,
  MonitorSubscriptions,
  HeldChangesResolver,
];
