import type { Knex } from 'knex';
import type { Config } from '../config.ts';
import { type Observer, observed, together } from '../domain/observer.ts';
import type { Metering } from '../metering/metering.ts';
import { createMeasures, type Measures } from '../server/telemetry/measures.ts';
import { observeSql } from '../server/telemetry/sql.ts';
import { createTraces } from '../server/telemetry/traces.ts';

/** Who watches this process. */
export interface Telemetry {
  /** Undefined where nobody does. */
  readonly observer: Observer | undefined;
  /** Undefined where there are no metrics. */
  readonly measures: Measures | undefined;
  close(): Promise<void>;
}

/** Metrics where they have a port, traces where they have a collector. */
export function createTelemetry({ metricsPort, otlpUrl, tracedShare }: Config, db: Knex): Telemetry {
  const measures = metricsPort === undefined ? undefined : createMeasures();
  const traces = otlpUrl === undefined ? undefined : createTraces({ url: otlpUrl, share: tracedShare });
  const observer = together([...(measures ? [measures.observer] : []), ...(traces ? [traces.observer] : [])]);
  if (observer) observeSql(db, observer);
  return { observer, measures, close: async () => traces?.close() };
}

/** Observes metering: the time to record usage, and refusals by a rate limit. */
export function observedMetering<T extends Pick<Metering, 'rateLimiter' | 'usage'>>(metering: T, observer: Observer | undefined): T {
  if (!observer) return metering;
  const { rateLimiter, usage } = metering;
  return {
    ...metering,
    usage: { record: (record) => observed(observer, { kind: 'usage', name: record.module }, () => usage.record(record)) },
    rateLimiter: {
      ...rateLimiter,
      async take(keyId, limit) {
        const decision = await rateLimiter.take(keyId, limit);
        if (!decision.allowed) observer.held(limit.module);
        return decision;
      },
      async spend(keyId, rate, points) {
        const decision = await rateLimiter.spend(keyId, rate, points);
        if (!decision.allowed) observer.held('graphql');
        return decision;
      },
    },
  };
}
