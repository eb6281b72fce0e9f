import type { Knex } from 'knex';

/** Files that the monthly import has downloaded and not loaded, because they do not replace the version that answers. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE receita_attempts ADD COLUMN passed_listing text;
    COMMENT ON COLUMN receita_attempts.passed_listing
      IS 'digest of the names, sizes and dates of downloaded files that the monthly import does not load; null for none';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE receita_attempts DROP COLUMN passed_listing');
}
