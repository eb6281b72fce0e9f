import type { Knex } from 'knex';

/**
 * Outcome of the last attempts to load the own copy of the Brazilian registry, for its health.
 * - receita_attempts: when the files were last found to be loaded or were loaded, and why the last attempt failed, by origin.
 * - receita_versions.listing: digest of the names, sizes and dates of the downloaded files, so that a month is downloaded once.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE receita_attempts (
      origin text PRIMARY KEY,
      checked_at timestamptz,
      failed_at timestamptz,
      last_error text
    );
    COMMENT ON COLUMN receita_attempts.checked_at IS 'last import or comparison that succeeded, with or without new files';
    COMMENT ON COLUMN receita_attempts.last_error IS 'reason of the last refusal; it stays after a success';

    ALTER TABLE receita_versions ADD COLUMN listing text;
    COMMENT ON COLUMN receita_versions.listing IS 'digest of the names, sizes and dates of the downloaded files; null for files of an operator';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE receita_versions DROP COLUMN listing; DROP TABLE receita_attempts');
}
