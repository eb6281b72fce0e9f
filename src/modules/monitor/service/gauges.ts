import { type Gauge, gaugeValues } from '../../../db/gauges.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import type { GaugeParts } from '../../../service.ts';
import { monitorService } from './monitor.ts';

/** A check that is late by more than this breaks the promise of the interval. */
const OVERDUE_MS = 15 * MINUTE_MS;

/** State of monitoring. Each gauge runs one short SQL statement. */
export function monitorGauges({ db, now, open }: GaugeParts): readonly Gauge[] {
  const values = gaugeValues(db);
  return [
    {
      name: 'quipu_monitor_held_changes',
      help: 'Held changes: lost values until a second check confirms them, mass changes until an operator decides.',
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
      name: 'quipu_change_log_position',
      help: 'Last position of the change log; its increase is the rate of published changes.',
      read: () => values("SELECT position::float8 AS value FROM log_heads WHERE stream = 'changes'"),
    },
    {
      name: 'quipu_event_lag_changes',
      help: 'Published changes that this process has not yet read for its sockets and event streams; 0 without subscribers.',
      async read() {
        const to = open(monitorService).events.position();
        if (to === null) return [{ value: 0 }];
        return values("SELECT greatest(position - ?, 0)::float8 AS value FROM log_heads WHERE stream = 'changes'", [to]);
      },
    },
  ];
}
