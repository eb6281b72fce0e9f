import type { Knex } from 'knex';

/** Comparisons of extracts of the Brazilian registry of which the watched companies that changed were made due. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE monitor_extracts (
      comparison_id bigint PRIMARY KEY,
      joined_at timestamptz NOT NULL
    );
    COMMENT ON COLUMN monitor_extracts.comparison_id IS 'id of receita_comparisons, whose row may be deleted'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE monitor_extracts');
}
