import type { Knex } from 'knex';

/** An index is built concurrently outside a transaction only. */
export const config = { transaction: false };

/** Index of the deliveries that were updated since a snapshot. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX IF EXISTS deliveries_by_transaction'); // what an interrupted run left
  await knex.raw('CREATE INDEX CONCURRENTLY deliveries_by_transaction ON deliveries (revised_by)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX deliveries_by_transaction');
}
