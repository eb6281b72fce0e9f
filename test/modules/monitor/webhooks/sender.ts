import type { Knex } from 'knex';
import { createSealer } from '../../../../src/db/sealer.ts';
import type { Clock } from '../../../../src/domain/time.ts';
import { createLoaders } from '../../../../src/loaders/loader.ts';
import { monitorSettings } from '../../../../src/modules/monitor/service/settings.ts';
import { type Webhooks, webhooksService } from '../../../../src/modules/monitor/service/webhook-sender.ts';
import { createDns } from '../../../../src/sources/dns/client.ts';
import { createOutboundClient, type OutboundOptions } from '../../../../src/sources/outbound/client.ts';
import type { OutboundClient } from '../../../../src/sources/outbound/outbound.ts';
import { quietLog } from '../../../support/log.ts';

export const SEALER = createSealer('a secret for tests', 'quipu webhooks');

/** The service that sends, as one process has it. */
export interface Sender {
  readonly webhooks: Webhooks;
  readonly lines: readonly Record<string, unknown>[];
}

export interface SenderOptions extends Partial<Omit<OutboundOptions, 'log' | 'concurrency'>> {
  readonly now?: Clock;
  readonly random?: () => number;
  readonly settings?: Readonly<Record<string, string>>;
  /** What stands between the service and the way out. */
  readonly between?: (client: OutboundClient) => OutboundClient;
}

/** A sender that may reach all of loopback unless told otherwise; no name resolves unless it has a `dns`. */
export function createSender(db: Knex, options: SenderOptions = {}): Sender {
  const { now = Date.now, random = () => 0.5, settings = {}, allow = ['127.0.0.0/8'], between, ...more } = options;
  const { log, lines } = quietLog();
  const dns = createDns({ servers: ['127.0.0.1:1'], now: Date.now, log });
  const defaults: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(monitorSettings).map(([name, { fallback }]) => [name, fallback]),
  );
  const use = () => {
    throw new Error('no sources here');
  };
  const client = createOutboundClient({ dns, allow, log, concurrency: 64, ...more });
  const webhooks = webhooksService.create({
    db,
    now,
    random,
    log,
    loaders: createLoaders(use, now),
    use,
    webhooks: between ? between(client) : client,
    sealer: SEALER,
    setting: (name) => settings[name] ?? defaults[name] ?? '',
    open: () => {
      throw new Error('no other services here');
    },
  });
  return { webhooks, lines };
}
