import type { Knex } from 'knex';
import { preparedAs } from '../../../../db/knex.ts';

/**
 * Runs a statement that reads a version. Each connection prepares it once, because planning one of these statements takes longer than
 * running it. After some runs Postgres keeps one plan for all values if it estimates the same cost as for the values at hand. Hence an
 * array of unknown length is the result of a subquery (`unnest((SELECT ?::text[]))`), whose length is not estimated from the values.
 * @param name name of the statement with the id of the version, because its text has the names of the tables
 */
export const preparedRead = (db: Knex, name: string, sql: string, values: readonly unknown[]) =>
  db.raw(sql, values as Knex.RawBinding[]).options(preparedAs(db, `receita_${name}`));
