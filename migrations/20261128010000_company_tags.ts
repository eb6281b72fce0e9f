import type { Knex } from 'knex';

/** When a monitor began to watch a company, and the tags by which an account groups its watched companies. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE monitor_companies ADD COLUMN added_at timestamptz;
    ALTER TABLE monitor_companies ALTER COLUMN added_at SET DEFAULT now();
    COMMENT ON COLUMN monitor_companies.added_at IS 'when the monitor began to watch the company; null for a row that is older than this column';
    CREATE TABLE company_tags (
      account_id uuid NOT NULL REFERENCES accounts,
      country text NOT NULL,
      tax_id text NOT NULL,
      tags text[] NOT NULL,
      PRIMARY KEY (account_id, country, tax_id)
    );
    COMMENT ON COLUMN company_tags.tags IS '1 to 20 tags in the order of their names; a company without tags has no row'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE company_tags; ALTER TABLE monitor_companies DROP COLUMN added_at');
}
