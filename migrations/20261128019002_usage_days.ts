import type { Knex } from 'knex';

/**
 * Usage by day. The job `usage.verify` computes the days of this month and the last one from the usage records, so this migration does not
 * read them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE usage_days (
      key_id uuid NOT NULL,
      day date NOT NULL,
      module text NOT NULL,
      used bigint NOT NULL,
      PRIMARY KEY (key_id, day, module)
    );
    CREATE INDEX usage_days_by_day ON usage_days (day);
    COMMENT ON COLUMN usage_days.day IS 'day, in UTC, on which the requests began';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE usage_days');
}
