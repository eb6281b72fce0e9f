import { type Gauge, gaugeValues } from '../../db/gauges.ts';
import type { GaugeParts } from '../../service.ts';

/** State of webhook deliveries. Each gauge runs one short SQL statement. */
export function webhookGauges({ db, now }: Pick<GaugeParts, 'db' | 'now'>): readonly Gauge[] {
  const values = gaugeValues(db);
  return [
    {
      name: 'quipu_webhook_deliveries_waiting',
      help: 'Webhook deliveries that wait to be sent or are being sent.',
      read: () => values("SELECT count(*)::int AS value FROM deliveries WHERE state IN ('pending', 'sending')"),
    },
    {
      name: 'quipu_webhook_oldest_waiting_seconds',
      help: 'Time since the due time of the oldest delivery that waits or is being sent.',
      read: () =>
        values(
          `SELECT greatest(coalesce(extract(epoch FROM ?::timestamptz - min(due_at)), 0), 0)::float8 AS value
           FROM deliveries WHERE state IN ('pending', 'sending')`,
          [new Date(now())],
        ),
    },
  ];
}
