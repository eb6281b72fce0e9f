import type { Knex } from 'knex';

/** Reads the version of the Postgres server, and its clock in epoch ms. */
export async function readServer(db: Knex): Promise<{ readonly version: string; readonly now: number }> {
  const { rows } = await db.raw(`SELECT current_setting('server_version') AS version, extract(epoch FROM clock_timestamp()) * 1000 AS now`);
  return { version: rows[0].version, now: Number(rows[0].now) };
}
