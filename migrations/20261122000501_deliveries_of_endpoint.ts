import type { Knex } from 'knex';

/** An index is built concurrently outside a transaction only. */
export const config = { transaction: false };

/** Index of the deliveries that wait in an endpoint partition. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX IF EXISTS deliveries_of_endpoint'); // what an interrupted run left
  await knex.raw(
    `CREATE INDEX CONCURRENTLY deliveries_of_endpoint ON deliveries (monitor_id, partition, revision) INCLUDE (due_at)
     WHERE state IN ('pending', 'sending')`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX deliveries_of_endpoint');
}
