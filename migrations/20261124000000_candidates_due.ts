import type { Knex } from 'knex';

/** An index is built concurrently outside a transaction only. */
export const config = { transaction: false };

/** Marks companies whose candidates have no baseline yet, so that the search for them reads no other company. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE watched_companies ADD COLUMN IF NOT EXISTS candidates_due boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN watched_companies.candidates_due IS 'true: a monitor compares its names with lists, and the candidates of a list may have no baseline yet';
  `);
  await knex.raw(`
    WITH due AS MATERIALIZED (
      SELECT country, tax_id FROM watched_companies w WHERE EXISTS (
        SELECT FROM monitor_companies c JOIN monitors m ON m.id = c.monitor_id
        WHERE c.country = w.country AND c.tax_id = w.tax_id AND m.candidate_news AND m.cancelled_at IS NULL)
      ORDER BY country, tax_id FOR NO KEY UPDATE)
    UPDATE watched_companies w SET candidates_due = true FROM due WHERE w.country = due.country AND w.tax_id = due.tax_id`);
  await knex.raw('DROP INDEX IF EXISTS watched_companies_candidates_due'); // what an interrupted run left
  await knex.raw(
    `CREATE INDEX CONCURRENTLY watched_companies_candidates_due ON watched_companies (country, tax_id)
     WHERE candidates_due AND names IS NOT NULL`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE watched_companies DROP COLUMN candidates_due');
}
