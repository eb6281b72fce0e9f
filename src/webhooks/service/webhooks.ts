import type { Service, ServiceDeps } from '../../service.ts';
import { purgeOldDeliveries } from './retention.ts';
import { readWebhookSettings, webhookSettings } from './settings.ts';
import { createWebhookSender, type WebhookSender } from './webhook-sender.ts';

/** The work of webhooks that one process does, for jobs. Publishers add deliveries by `publishDeliveries`, in their own transactions. */
export interface WebhookService {
  readonly sender: WebhookSender;
  /** Repairs hosts without slots, and deletes old deliveries. */
  purge(): Promise<void>;
  close(): Promise<void>;
}

/** Builds the parts of webhooks. Nothing runs until an operation is called. */
export function createWebhooks(deps: ServiceDeps): WebhookService {
  const common = { ...deps, settings: readWebhookSettings(deps), sealer: deps.sealerFor('webhooks') };
  const sender = createWebhookSender(common);
  return { sender, purge: () => purgeOldDeliveries(common), close: () => sender.close() };
}

/** Token for `open`. */
export const webhookService: Service<WebhookService> = { name: 'webhooks', settings: webhookSettings, create: createWebhooks };
