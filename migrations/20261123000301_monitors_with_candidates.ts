import type { Knex } from 'knex';

/** An index is built concurrently outside a transaction only. */
export const config = { transaction: false };

/** Index of the monitors that report candidates: each new version of a sanctions list asks whether there are any. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX IF EXISTS monitors_with_candidates'); // what an interrupted run left
  await knex.raw('CREATE INDEX CONCURRENTLY monitors_with_candidates ON monitors (id) WHERE candidate_news AND cancelled_at IS NULL');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX monitors_with_candidates');
}
