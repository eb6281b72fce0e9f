import type { Knex } from 'knex';
import type { Config } from '../config.ts';
import { type Gauge, gaugeValues } from '../db/gauges.ts';
import type { ReplicaReads } from '../db/read-replica.ts';
import { whenKnown } from '../domain/answer.ts';
import { type Clock, SECOND_MS } from '../domain/time.ts';
import type { Metering } from '../metering/metering.ts';
import { combineObservers, type Observer, withSpan } from '../observer.ts';
import { instrumentSql } from '../server/telemetry/instrument.ts';
import { createMetrics, type Metrics } from '../server/telemetry/metrics.ts';
import type { SourceReport } from '../sources/build.ts';

/** Metrics and traces of this process. */
export interface Telemetry {
  /** Observer; undefined if metrics and traces are off. */
  readonly observer: Observer | undefined;
  /** Metrics; undefined if they are off. */
  readonly metrics: Metrics | undefined;
  close(): Promise<void>;
}

/** Turns metrics on if they have a port, and traces if they have a collector. */
export async function createTelemetry({ metricsPort, otlpUrl, tracedShare }: Config, db: Knex): Promise<Telemetry> {
  const metrics = metricsPort === undefined ? undefined : createMetrics();
  const traces = otlpUrl === undefined ? undefined : await tracesTo(otlpUrl, tracedShare);
  const observer = combineObservers([...(metrics ? [metrics.observer] : []), ...(traces ? [traces.observer] : [])]);
  if (observer) instrumentSql(db, observer);
  return { observer, metrics, close: async () => traces?.close() };
}

/** Imports OpenTelemetry on demand, so that the start does not load it without a collector. */
async function tracesTo(url: string, sampleRatio: number) {
  const { createTraces } = await import('../server/telemetry/traces.ts');
  return createTraces({ url, sampleRatio });
}

/** Observes metering: the time to record usage, and refusals by rate limits. */
export function observedMetering<T extends Pick<Metering, 'rateLimiter' | 'usage'>>(metering: T, observer: Observer | undefined): T {
  if (!observer) return metering;
  const { rateLimiter, usage } = metering;
  function counted<D extends { readonly allowed: boolean }>(decision: D, limit: string): D {
    if (!decision.allowed) observer?.countRateLimitRefusal(limit);
    return decision;
  }
  return {
    ...metering,
    usage: { ...usage, record: (record) => withSpan(observer, { kind: 'usage', name: record.module }, () => usage.record(record)) },
    rateLimiter: {
      ...rateLimiter,
      take: (keyId, limit) => whenKnown(rateLimiter.take(keyId, limit), (decision) => counted(decision, limit.module)),
      takeAction: (keyId, action, count) =>
        whenKnown(rateLimiter.takeAction(keyId, action, count), (decision) => counted(decision, action.name)),
      spend: (keyId, rate, points) => whenKnown(rateLimiter.spend(keyId, rate, points), (decision) => counted(decision, 'graphql')),
      owes(keyId, rate) {
        const points = rateLimiter.owes(keyId, rate);
        if (points > 0) observer.countRateLimitRefusal('graphql');
        return points;
      },
    },
  };
}

/** Creates gauges of the health and age of the sources. */
export function sourceGauges(readReports: () => Promise<readonly SourceReport[]>, now: Clock): readonly Gauge[] {
  let pending: Promise<readonly SourceReport[]> | null = null;
  /** Reads the reports. The gauges of one scrape are read in parallel and share them. */
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
      name: 'quipu_data_age_seconds',
      help: 'Age of the data of a live source, by the date that it states.',
      labelName: 'source',
      read: async () =>
        (await reports()).flatMap(({ name, dataAsOf }) =>
          dataAsOf ? [{ label: name, value: (now() - Date.parse(dataAsOf)) / SECOND_MS }] : [],
        ),
    },
    {
      name: 'quipu_list_age_seconds',
      help: 'Time since the last successful sync of a list.',
      labelName: 'source',
      read: async () =>
        (await reports()).flatMap(({ name, list }) => (list ? [{ label: name, value: (now() - list.checkedAt) / SECOND_MS }] : [])),
    },
    {
      name: 'quipu_list_usable_seconds',
      help: 'Time until a list or a copy of a registry counts as a failed source; negative afterwards.',
      labelName: 'source',
      read: async () =>
        (await reports()).flatMap(({ name, list }) => (list ? [{ label: name, value: (list.goodUntil - now()) / SECOND_MS }] : [])),
    },
  ];
}

const CIRCUIT_VALUES = { closed: 0, half_open: 0.5, open: 1 } as const;

/** Creates gauges of the length of the job queue. */
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

/** Creates gauges of the memory of cached answers and their texts. */
export const cacheGauges = (readBytes: () => ReadonlyMap<string, number>): readonly Gauge[] => [
  {
    name: 'quipu_cache_bytes',
    help: 'Estimated memory of the cached answers by loader, of the answers computed from them (derived), and of the JSON texts kept with them (texts). QUIPU_CACHE_BYTES bounds the sum.',
    labelName: 'cache',
    read: async () => [...readBytes()].map(([label, value]) => ({ label, value })),
  },
];

/** Creates the gauge that tells whether copies are read from the read replica. */
export const replicaGauges = (reads: Pick<ReplicaReads, 'isUsed'> | undefined): readonly Gauge[] => [
  {
    name: 'quipu_read_replica_used',
    help: '1 while copies of registries are read from the read replica, 0 while the primary answers because it failed; absent without one.',
    labelName: 'replica',
    read: async () => (reads ? [{ label: 'read', value: Number(reads.isUsed()) }] : []),
  },
];
