import type { Knex } from 'knex';
import type { SourceReport } from '../../context.ts';
import { gaugeValues } from '../../db/gauge-values.ts';
import type { Gauge } from '../../domain/gauge.ts';
import { type Clock, SECOND_MS } from '../../domain/time.ts';

/** How the sources are. */
export function sourceGauges(ask: () => Promise<readonly SourceReport[]>, now: Clock): readonly Gauge[] {
  let asked: Promise<readonly SourceReport[]> | null = null;
  /** The gauges of one scrape are read at once and share one report. */
  const report = () => {
    asked ??= ask().finally(() => {
      asked = null;
    });
    return asked;
  };
  return [
    {
      name: 'quipu_source_usable',
      help: '1 where a question would be answered now, else 0.',
      labelName: 'source',
      read: async () => (await report()).map(({ name, usable }) => ({ label: name, value: Number(usable) })),
    },
    {
      name: 'quipu_source_circuit_open',
      help: '1 while the circuit of a live source is open, 0.5 while it tries again, else 0.',
      labelName: 'source',
      read: async () => (await report()).map(({ name, circuit }) => ({ label: name, value: OPEN[circuit] })),
    },
    {
      name: 'quipu_list_age_seconds',
      help: 'Since the publisher of a list was last visited successfully.',
      labelName: 'source',
      read: async () =>
        (await report()).flatMap(({ name, list }) => (list ? [{ label: name, value: (now() - list.checkedAt) / SECOND_MS }] : [])),
    },
  ];
}

const OPEN = { closed: 0, half_open: 0.5, open: 1 } as const;

/** What waits to be done. */
export function queueGauges(db: Knex, now: Clock): readonly Gauge[] {
  const values = gaugeValues(db);
  return [
    {
      name: 'quipu_jobs_waiting',
      help: 'Jobs whose time has come and that nobody has begun or finished.',
      labelName: 'job',
      read: () =>
        values(
          'SELECT task_identifier AS label, count(*)::int AS value FROM graphile_worker.jobs WHERE run_at <= ? GROUP BY 1 ORDER BY 1',
          [new Date(now())],
        ),
    },
  ];
}
