import type { Knex } from 'knex';
import type { Config } from '../config.ts';
import { type Observer, observed, together } from '../domain/observer.ts';
import type { Toll } from '../metering/metering.ts';
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

/** The toll, whose counting is a step and whose refusals are told. */
export function observedToll<T extends Pick<Toll, 'rates' | 'meter'>>(toll: T, observer: Observer | undefined): T {
  if (!observer) return toll;
  const { rates, meter } = toll;
  return {
    ...toll,
    meter: { count: (use) => observed(observer, { kind: 'usage', name: use.module }, () => meter.count(use)) },
    rates: {
      ...rates,
      async take(keyId, limit) {
        const decision = await rates.take(keyId, limit);
        if (!decision.admitted) observer.held(limit.module);
        return decision;
      },
      async spend(keyId, rate, points) {
        const spending = await rates.spend(keyId, rate, points);
        if (!spending.admitted) observer.held('graphql');
        return spending;
      },
    },
  };
}
