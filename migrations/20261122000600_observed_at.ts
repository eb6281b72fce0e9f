import type { Knex } from 'knex';

/** When the source of a change was asked: answers requested since then contain the change. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE changes ADD COLUMN observed_at timestamptz;
    COMMENT ON COLUMN changes.observed_at IS 'when the source was asked; null for changes of earlier releases';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE changes DROP COLUMN observed_at');
}
