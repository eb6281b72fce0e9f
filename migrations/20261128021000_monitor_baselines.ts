import type { Knex } from 'knex';

/** The lists that a monitor compares because its account has chosen them, and that its companies have a baseline of. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE monitors ADD COLUMN baselines text[] NOT NULL DEFAULT '{}';
    COMMENT ON COLUMN monitors.baselines IS 'chosen lists of which all its companies have a baseline; with :candidate for their names';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE monitors DROP COLUMN baselines');
}
