import type { Knex } from 'knex';
import type pg from 'pg';

/** Runs a statement with the bindings of knex (`?`, `:name`), over the pool or over a connection outside it. */
// biome-ignore lint/suspicious/noExplicitAny: the rows of a raw statement have no type, as in knex
export type RunSql = (sql: string, bindings: readonly Knex.RawBinding[] | Knex.ValueDict) => Promise<{ readonly rows: any[] }>;

/** Runs statements over the pool. */
export const runOverPool =
  (db: Knex): RunSql =>
  async (sql, bindings) =>
    db.raw(sql, bindings);

/** Runs statements over a connection outside the pool. */
export const runOn =
  (client: pg.ClientBase, db: Knex): RunSql =>
  (sql, bindings) => {
    const { sql: text, bindings: values } = db.raw(sql, bindings).toSQL().toNative();
    return client.query(text, [...values]);
  };
