import type { Knex } from 'knex';
import type { Config } from '../config.ts';
import { combineObservers, type Observer, withSpan } from '../domain/observer.ts';
import type { Toll } from '../metering/metering.ts';
import { instrumentSql } from '../server/telemetry/instrument.ts';
import { createMetrics, type Metrics } from '../server/telemetry/metrics.ts';
import { createTraces } from '../server/telemetry/traces.ts';

/** Metrics and traces of this process. */
export interface Telemetry {
  /** Undefined where both are off. */
  readonly observer: Observer | undefined;
  /** Undefined where metrics are off. */
  readonly metrics: Metrics | undefined;
  close(): Promise<void>;
}

/** Turns metrics on where they have a port, and traces where they have a collector. */
export function createTelemetry({ metricsPort, otlpUrl, tracedShare }: Config, db: Knex): Telemetry {
  const metrics = metricsPort === undefined ? undefined : createMetrics();
  const traces = otlpUrl === undefined ? undefined : createTraces({ url: otlpUrl, sampleRatio: tracedShare });
  const observer = combineObservers([...(metrics ? [metrics.observer] : []), ...(traces ? [traces.observer] : [])]);
  if (observer) instrumentSql(db, observer);
  return { observer, metrics, close: async () => traces?.close() };
}

/** The toll, whose counting is a step and whose refusals are told. */
export function observedToll<T extends Pick<Toll, 'rates' | 'meter'>>(toll: T, observer: Observer | undefined): T {
  if (!observer) return toll;
  const { rates, meter } = toll;
  return {
    ...toll,
    meter: { count: (use) => withSpan(observer, { kind: 'usage', name: use.module }, () => meter.count(use)) },
    rates: {
      ...rates,
      async take(keyId, limit) {
        const decision = await rates.take(keyId, limit);
        if (!decision.admitted) observer.countRateLimitRefusal(limit.module);
        return decision;
      },
      async spend(keyId, rate, points) {
        const spending = await rates.spend(keyId, rate, points);
        if (!spending.admitted) observer.countRateLimitRefusal('graphql');
        return spending;
      },
    },
  };
}
