import type { Knex } from 'knex';

/** Counts, per version of a list, the rows whose id cannot be read. Versions that are already loaded count as 0 until their next load. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE registry_versions ADD COLUMN rows_unmatched integer NOT NULL DEFAULT 0;
    COMMENT ON COLUMN registry_versions.rows_unmatched IS 'rows without a readable id, those of people not included';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE registry_versions DROP COLUMN rows_unmatched');
}
