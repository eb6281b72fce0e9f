import { DURATION, durationMs } from '../../domain/time.ts';
import type { ServiceDeps } from '../../service.ts';
import type { SettingSpec } from '../../sources/source.ts';

/** Settings of webhooks. */
export const webhookSettings = {
  QUIPU_MONITOR_DELIVERIES_KEPT: {
    description: 'Time for which deliveries and their attempts are kept.',
    fallback: '30d',
    pattern: DURATION,
    expected: 'expected a duration such as 2s, 6h or 30d, from 1d to 3650d',
    range: ['1d', '3650d'],
  },
  QUIPU_WEBHOOK_PLAIN_HTTP: {
    description: 'true: webhooks may also be sent to public hosts over plain http.',
    fallback: 'false',
    pattern: /^(true|false)$/,
    expected: 'expected true or false',
  },
} as const satisfies Readonly<Record<string, SettingSpec>>;

/** Parsed settings. */
export interface WebhookSettings {
  readonly deliveriesKeptMs: number;
  /** True if webhooks may go to public hosts over plain http. */
  readonly plainHttp: boolean;
}

export const readWebhookSettings = ({ setting }: Pick<ServiceDeps, 'setting'>): WebhookSettings => ({
  deliveriesKeptMs: durationMs(setting('QUIPU_MONITOR_DELIVERIES_KEPT')),
  plainHttp: setting('QUIPU_WEBHOOK_PLAIN_HTTP') === 'true',
});
