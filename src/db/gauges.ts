import type { Knex } from 'knex';
import { SECOND_MS } from '../domain/time.ts';

/** A Prometheus gauge: a number that is read at each scrape. */
export interface Gauge {
  /** Name of the gauge, e.g. `quipu_change_log_position`. */
  readonly name: string;
  readonly help: string;
  /** Name of its only label, e.g. `source`; absent for a gauge with one value. */
  readonly labelName?: string;
  /** Reads the current values: one without a label, or one for each value of the label. */
  read(): Promise<readonly { readonly label?: string; readonly value: number }[]>;
}

/** Timeout of a statement that reads a gauge. */
const TIMEOUT_MS = 2 * SECOND_MS;

/** Reads the values of a gauge by one SQL statement with the columns `value` and, for a gauge with a label, `label`. */
export const gaugeValues =
  (db: Knex) =>
  async (sql: string, bindings: readonly (Date | number)[] = []) =>
    (await db.raw(sql, [...bindings]).timeout(TIMEOUT_MS)).rows;
