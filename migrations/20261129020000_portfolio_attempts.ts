import type { Knex } from 'knex';

/** How often the levels of a portfolio were taken on the last day, and when they are taken again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE portfolio_attempts (
      key_id uuid PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
      day date NOT NULL,
      attempts integer NOT NULL CHECK (attempts > 0),
      retry_at timestamptz
    );
    COMMENT ON TABLE portfolio_attempts IS 'how often the levels of the companies that a key watches were taken on a day';
    COMMENT ON COLUMN portfolio_attempts.day IS 'the last day of a snapshot, in UTC';
    COMMENT ON COLUMN portfolio_attempts.retry_at IS 'when they are taken again on the same day; null if no attempt can add a level, or after the last one';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE portfolio_attempts');
}
