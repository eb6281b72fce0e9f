import type { Knex } from 'knex';

/** Numbers of the companies that a key watches by risk level, a snapshot a day. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE portfolio_days (
      key_id uuid NOT NULL,
      day date NOT NULL,
      risk_level text NOT NULL CHECK (risk_level IN ('high', 'medium', 'low', 'none')),
      completeness text NOT NULL CHECK (completeness IN ('complete', 'partial', 'insufficient', 'none')),
      companies integer NOT NULL,
      is_made_up boolean NOT NULL DEFAULT false,
      PRIMARY KEY (key_id, day, risk_level, completeness)
    );
    CREATE INDEX portfolio_days_by_day ON portfolio_days (day);
    COMMENT ON COLUMN portfolio_days.day IS 'day of the snapshot in UTC';
    COMMENT ON COLUMN portfolio_days.risk_level IS 'none: the consolidated check did not answer, or the key has no module for the country';
    COMMENT ON COLUMN portfolio_days.is_made_up IS 'true for a day before the start of a sandbox, which the sandbox made up';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE portfolio_days');
}
