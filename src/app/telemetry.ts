import type { Knex } from 'knex';
import type { Config } from '../config.ts';
import { combineObservers, type Observer, withSpan } from '../domain/observer.ts';
import type { Metering } from '../metering/metering.ts';
import { instrumentSql } from '../server/telemetry/instrument.ts';
import { createMetrics, type Metrics } from '../server/telemetry/metrics.ts';

/** Metrics and traces of this process. */
export interface Telemetry {
  /** Undefined where both are off. */
  readonly observer: Observer | undefined;
  /** Undefined where metrics are off. */
  readonly metrics: Metrics | undefined;
  close(): Promise<void>;
}

/** Turns metrics on where they have a port, and traces where they have a collector. */
export async function createTelemetry({ metricsPort, otlpUrl, tracedShare }: Config, db: Knex): Promise<Telemetry> {
  const metrics = metricsPort === undefined ? undefined : createMetrics();
  const traces = otlpUrl === undefined ? undefined : await tracesTo(otlpUrl, tracedShare);
  const observer = combineObservers([...(metrics ? [metrics.observer] : []), ...(traces ? [traces.observer] : [])]);
  if (observer) instrumentSql(db, observer);
  return { observer, metrics, close: async () => traces?.close() };
}

/** Imports OpenTelemetry only here: without a collector the start does not wait for it. */
async function tracesTo(url: string, sampleRatio: number) {
  const { createTraces } = await import('../server/telemetry/traces.ts');
  return createTraces({ url, sampleRatio });
}

/** Observes metering: the time to record usage, and refusals by a rate limit. */
export function observedMetering<T extends Pick<Metering, 'rateLimiter' | 'usage'>>(metering: T, observer: Observer | undefined): T {
  if (!observer) return metering;
  const { rateLimiter, usage } = metering;
  return {
    ...metering,
    usage: { ...usage, record: (record) => withSpan(observer, { kind: 'usage', name: record.module }, () => usage.record(record)) },
    rateLimiter: {
      ...rateLimiter,
      async take(keyId, limit) {
        const decision = await rateLimiter.take(keyId, limit);
        if (!decision.allowed) observer.countRateLimitRefusal(limit.module);
        return decision;
      },
      async takeAction(keyId, action) {
        const decision = await rateLimiter.takeAction(keyId, action);
        if (!decision.allowed) observer.countRateLimitRefusal(action.name);
        return decision;
      },
      async spend(keyId, rate, points) {
        const decision = await rateLimiter.spend(keyId, rate, points);
        if (!decision.allowed) observer.countRateLimitRefusal('graphql');
        return decision;
      },
    },
  };
}
