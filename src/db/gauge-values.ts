import type { Knex } from 'knex';
import { SECOND_MS } from '../domain/time.ts';

/** Timeout of a statement that reads a gauge. */
const TIMEOUT_MS = 2 * SECOND_MS;

/** Reads the values of a gauge by one SQL statement with the columns `value` and, for a gauge with a label, `label`. */
export const gaugeValues =
  (db: Knex) =>
  async (sql: string, bindings: readonly (Date | number)[] = []) =>
    (await db.raw(sql, [...bindings]).timeout(TIMEOUT_MS)).rows;
