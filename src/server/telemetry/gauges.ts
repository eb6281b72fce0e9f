import type { Knex } from 'knex';
import type { SourceReport } from '../../context.ts';
import { type Gauge, gaugeValues } from '../../db/gauges.ts';
import { type Clock, SECOND_MS } from '../../domain/time.ts';

/** Health and age of the sources. */
export function sourceGauges(readReports: () => Promise<readonly SourceReport[]>, now: Clock): readonly Gauge[] {
  let pending: Promise<readonly SourceReport[]> | null = null;
  /** The gauges of one scrape are read in parallel and share one report. */
  const reports = () => {
    pending ??= readReports().finally(() => {
      pending = null;
    });
    return pending;
  };
  return [
    {
      name: 'quipu_source_usable',
      help: '1 if a call to the source would be answered now, else 0.',
      labelName: 'source',
      read: async () => (await reports()).map(({ name, usable }) => ({ label: name, value: Number(usable) })),
    },
    {
      name: 'quipu_source_circuit_open',
      help: 'Circuit breaker of a live source: 1 while it is open, 0.5 while it is half open, else 0.',
      labelName: 'source',
      read: async () => (await reports()).map(({ name, circuit }) => ({ label: name, value: CIRCUIT_VALUES[circuit] })),
    },
    {
      name: 'quipu_list_age_seconds',
      help: 'Time since the last successful sync of a list.',
      labelName: 'source',
      read: async () =>
        (await reports()).flatMap(({ name, list }) => (list ? [{ label: name, value: (now() - list.checkedAt) / SECOND_MS }] : [])),
    },
  ];
}

const CIRCUIT_VALUES = { closed: 0, half_open: 0.5, open: 1 } as const;

/** Length of the job queue. */
export function queueGauges(db: Knex, now: Clock): readonly Gauge[] {
  const values = gaugeValues(db);
  return [
    {
      name: 'quipu_jobs_waiting',
      help: 'Jobs that are due and not finished.',
      labelName: 'job',
      read: () =>
        values(
          'SELECT task_identifier AS label, count(*)::int AS value FROM graphile_worker.jobs WHERE run_at <= ? GROUP BY 1 ORDER BY 1',
          [new Date(now())],
        ),
    },
  ];
}

/** Memory of the cached answers and their texts. */
export const cacheGauges = (readBytes: () => ReadonlyMap<string, number>): readonly Gauge[] => [
  {
    name: 'quipu_cache_bytes',
    help: 'Estimated memory of the cached answers by loader, and of the JSON texts kept with them (texts). QUIPU_CACHE_BYTES bounds the sum.',
    labelName: 'cache',
    read: async () => [...readBytes()].map(([label, value]) => ({ label, value })),
  },
];
