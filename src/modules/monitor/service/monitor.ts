import { defineService, type ServiceDeps } from '../../../service.ts';
import { readWebhookSettings } from '../../../webhooks/service/settings.ts';
import { type Checks, createChecks } from './checks.ts';
import { createDigests, type Digests } from './digests.ts';
import { createMonitorEvents, type MonitorEvents } from './events.ts';
import { createListChecks, type ListChecks } from './list-checks.ts';
import { createMailLinks, type MailLinks } from './mail-links.ts';
import { createMailSubscriptions, type MailSubscriptions } from './mail-subscriptions.ts';
import { createMonitors, type Monitors } from './monitors.ts';
import { createPortfolioLevels, type PortfolioLevels } from './portfolio-levels.ts';
import { createQuarantine, type Quarantine } from './quarantine.ts';
import { createRedelivery, type Redelivery } from './redelivery.ts';
import { createRegistryExtracts } from './registry-extracts.ts';
import { purgeOldRows } from './retention.ts';
import { monitorSettings, readMonitorSettings } from './settings.ts';
import { createTags, type Tags } from './tags.ts';

/** The operations of monitoring, for GraphQL, REST, jobs and the CLI. One object per process. */
export interface MonitorService {
  readonly monitors: Monitors;
  readonly tags: Tags;
  readonly redelivery: Redelivery;
  readonly events: MonitorEvents;
  readonly quarantine: Quarantine;
  readonly checks: Checks;
  readonly lists: ListChecks;
  readonly levels: PortfolioLevels;
  readonly mailSubscriptions: MailSubscriptions;
  readonly mailLinks: MailLinks;
  readonly digests: Digests;
  /** Deletes rows older than the retention settings allow. */
  purge(): Promise<void>;
  close(): Promise<void>;
}

/** Builds the parts of monitoring. Nothing runs until an operation is called. */
export function createMonitor(deps: ServiceDeps): MonitorService {
  const common = { ...deps, settings: { ...readMonitorSettings(deps), ...readWebhookSettings(deps) }, sealer: deps.sealerFor('webhooks') };
  const quarantine = createQuarantine(common);
  const lists = createListChecks({ ...common, quarantine });
  const events = createMonitorEvents(common);
  const links = createMailLinks(deps.sealerFor('links of mails'));
  return {
    monitors: createMonitors(common),
    tags: createTags(common),
    redelivery: createRedelivery(common),
    events,
    quarantine,
    checks: createChecks({ ...common, quarantine, lists, extracts: createRegistryExtracts(common) }),
    lists,
    levels: createPortfolioLevels(common),
    mailSubscriptions: createMailSubscriptions(common),
    mailLinks: links,
    digests: createDigests({ ...common, links }),
    purge: () => purgeOldRows(common),
    close: () => events.close(),
  };
}

/** Token for `open`. A caller needs module `monitor`. */
export const monitorService = defineService<MonitorService>({
  name: 'monitor',
  module: 'monitor',
  settings: monitorSettings,
  create: createMonitor,
});
