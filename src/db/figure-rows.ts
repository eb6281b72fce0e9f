import type { Knex } from 'knex';
import { SECOND_MS } from '../domain/time.ts';

/** A scrape waits no longer for a number. */
const DEADLINE_MS = 2 * SECOND_MS;

/** Asks for the values of a figure, by one short statement. */
export const figureRows =
  (db: Knex) =>
  async (sql: string, bindings: readonly (Date | number)[] = []) =>
    (await db.raw(sql, [...bindings]).timeout(DEADLINE_MS)).rows;
