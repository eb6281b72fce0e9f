import { gaugeValues } from '../../../db/gauge-values.ts';
import type { Gauge } from '../../../domain/gauge.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import type { GaugeParts } from '../../../service.ts';
import { monitorService } from './monitor.ts';

/** A check that is so late breaks the promise of the interval. */
const OVERDUE_MS = 15 * MINUTE_MS;

/** State of monitoring and of webhook deliveries. Each gauge runs one short SQL statement. */
export function monitorGauges({ db, now, open }: GaugeParts): readonly Gauge[] {
  const values = gaugeValues(db);
  return [
    {
      name: 'quipu_monitor_held_changes',
      help: 'Changes that are held back: lost values until a second check, mass changes until an operator decides.',
      labelName: 'source',
      read: () => values('SELECT source AS label, count(*)::int AS value FROM held_changes GROUP BY source ORDER BY source'),
    },
    {
      name: 'quipu_monitor_watched_companies',
      help: 'Companies that at least one monitor watches.',
      labelName: 'country',
      read: () => values('SELECT country AS label, count(*)::int AS value FROM watched_companies GROUP BY country ORDER BY country'),
    },
    {
      name: 'quipu_monitor_overdue_companies',
      help: 'Watched companies whose check is more than 15 minutes late.',
      read: () => values('SELECT count(*)::int AS value FROM watched_companies WHERE due_at < ?', [new Date(now() - OVERDUE_MS)]),
    },
    {
      name: 'quipu_webhook_deliveries_waiting',
      help: 'Webhook deliveries that are still to be made.',
      read: () => values("SELECT count(*)::int AS value FROM deliveries WHERE state IN ('pending', 'sending')"),
    },
    {
      name: 'quipu_change_log_position',
      help: 'Last position of the change log: its growth is the rate of changes told.',
      read: () => values("SELECT position::float8 AS value FROM log_heads WHERE stream = 'changes'"),
    },
    {
      name: 'quipu_event_lag_changes',
      help: 'Changes told that the sockets and event streams of this process have not heard of yet; 0 where none listens.',
      async read() {
        const to = open(monitorService).events.position();
        if (to === null) return [{ value: 0 }];
        return values("SELECT greatest(position - ?, 0)::float8 AS value FROM log_heads WHERE stream = 'changes'", [to]);
      },
    },
    {
      name: 'quipu_webhook_oldest_waiting_seconds',
      help: 'Since the oldest delivery that should have been made was due.',
      read: () =>
        values(
          `SELECT greatest(coalesce(extract(epoch FROM ?::timestamptz - min(due_at)), 0), 0)::float8 AS value
           FROM deliveries WHERE state IN ('pending', 'sending')`,
          [new Date(now())],
        ),
    },
  ];
}
