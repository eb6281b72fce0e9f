import type { Knex } from 'knex';
import type { Figure } from '../../../domain/figure.ts';
import { type Clock, MINUTE_MS, SECOND_MS } from '../../../domain/time.ts';

/** A check that is so late breaks the promise of the interval. */
const OVERDUE_MS = 15 * MINUTE_MS;
/** A scrape waits no longer for a number. */
const DEADLINE_MS = 2 * SECOND_MS;

/** How monitoring is doing, each figure by one short statement. */
export function monitorFigures(db: Knex, now: Clock): readonly Figure[] {
  const rows = async (sql: string, bindings: readonly Date[] = []) => (await db.raw(sql, [...bindings]).timeout(DEADLINE_MS)).rows;
  return [
    {
      name: 'quipu_monitor_held_changes',
      help: 'Changes that the mass-change guard keeps back until an operator decides.',
      label: 'source',
      read: () => rows('SELECT source AS of, count(*)::int AS value FROM held_changes GROUP BY source ORDER BY source'),
    },
    {
      name: 'quipu_monitor_watched_companies',
      help: 'Companies that at least one monitor watches.',
      label: 'country',
      read: () => rows('SELECT country AS of, count(*)::int AS value FROM watched_companies GROUP BY country ORDER BY country'),
    },
    {
      name: 'quipu_monitor_overdue_companies',
      help: 'Watched companies whose check is more than 15 minutes late.',
      read: () => rows('SELECT count(*)::int AS value FROM watched_companies WHERE due_at < ?', [new Date(now() - OVERDUE_MS)]),
    },
    {
      name: 'quipu_webhook_deliveries_waiting',
      help: 'Webhook deliveries that are still to be made.',
      read: () => rows("SELECT count(*)::int AS value FROM deliveries WHERE state IN ('pending', 'sending')"),
    },
    {
      name: 'quipu_change_log_position',
      help: 'Last position of the change log: its growth is the rate of changes told.',
      read: () => rows("SELECT position::float8 AS value FROM log_heads WHERE stream = 'changes'"),
    },
  ];
}
