import { ChangeResolver, CompanyChangesResolver } from './changes.ts';
import { DeliveryResolver } from './deliveries.ts';
import { CompanyMonitorsResolver, MonitorResolver } from './monitors.ts';
import { DeliveryMutations, MonitorMutations } from './mutations.ts';
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
