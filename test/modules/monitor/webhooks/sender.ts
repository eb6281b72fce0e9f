import type { Knex } from 'knex';
import { createSealer } from '../../../../src/db/sealer.ts';
import type { Clock } from '../../../../src/domain/time.ts';
import { createLoaders } from '../../../../src/loaders/loader.ts';
import { createRedelivery, type Redelivery } from '../../../../src/modules/monitor/service/redelivery.ts';
import { createDns } from '../../../../src/sources/dns/client.ts';
import { createOutboundClient, type OutboundOptions } from '../../../../src/sources/outbound/client.ts';
import type { OutboundClient } from '../../../../src/sources/outbound/outbound.ts';
import { webhookSettings } from '../../../../src/webhooks/service/settings.ts';
import { checkTarget, newSecret } from '../../../../src/webhooks/service/webhook-request.ts';
import type { WebhookSender } from '../../../../src/webhooks/service/webhook-sender.ts';
import { createWebhooks } from '../../../../src/webhooks/service/webhooks.ts';
import { memoryLog } from '../../../support/log.ts';

export const SEALER = createSealer('a secret for tests', 'quipu webhooks');

/** Creates a secret and its sealed form for the database. */
export function newSealedSecret(): { readonly secret: string; readonly sealed: Buffer } {
  const secret = newSecret();
  return { secret, sealed: SEALER.seal(secret) };
}

/** What sends the webhooks of monitors, as in one process. */
export interface Sender {
  readonly webhooks: WebhookSender;
  readonly redelivery: Redelivery;
  readonly checkTarget: (url: URL) => Promise<void>;
  readonly lines: readonly Record<string, unknown>[];
}

export interface SenderOptions extends Partial<Omit<OutboundOptions, 'log' | 'concurrency'>> {
  readonly now?: Clock;
  readonly random?: () => number;
  readonly settings?: Readonly<Record<string, string>>;
  /** Wraps the HTTP client. */
  readonly between?: (client: OutboundClient) => OutboundClient;
}

/** A sender that may connect to all of loopback by default. No host name resolves without a `dns`. */
export function createSender(db: Knex, options: SenderOptions = {}): Sender {
  const { now = Date.now, random = () => 0.5, settings = {}, allow = ['127.0.0.0/8'], between, ...more } = options;
  const { log, lines } = memoryLog();
  const dns = createDns({ servers: ['127.0.0.1:1'], now: Date.now, log });
  const defaults: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(webhookSettings).map(([name, { fallback }]) => [name, fallback]),
  );
  const use = () => {
    throw new Error('no sources here');
  };
  const client = createOutboundClient({ dns, allow, log, concurrency: 64, ...more });
  const outbound = between ? between(client) : client;
  const setting = (name: string) => settings[name] ?? defaults[name] ?? '';
  const { sender: webhooks } = createWebhooks({
    db,
    now,
    random,
    log,
    loaders: createLoaders(use, now),
    use,
    rows: { forget: () => undefined },
    webhooks: outbound,
    mailing: null,
    sealerFor: () => SEALER,
    setting,
  });
  const plainHttp = setting('QUIPU_WEBHOOK_PLAIN_HTTP') === 'true';
  return { webhooks, redelivery: createRedelivery({ db, now }), checkTarget: (url) => checkTarget(outbound, url, plainHttp), lines };
}
