import type { Knex } from 'knex';

/**
 * Monitors of Colombian companies, and the year of the last renewal in snapshots. The service checks the country; a new constraint would break
 * the version before, which creates none of these monitors and checks none of their companies.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE monitors DROP CONSTRAINT monitors_country_check;
    COMMENT ON COLUMN watched_companies.snapshot IS '{status, size, activity, activityCode?, name?, owners?, capital?, address?, special_situation?, last_renewed_year?} as last reported; null before the first check'`);
}

/** The monitors of Colombian companies stay: the constraint then holds for new rows only. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE monitors DROP CONSTRAINT IF EXISTS monitors_country_check,
      ADD CONSTRAINT monitors_country_check CHECK (country IN ('BR', 'CL')) NOT VALID`);
}
