import type { Knex } from 'knex';

/** The optional lists that an account has chosen, for its answers and for its verdicts. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE accounts
      ADD COLUMN lists text[] NOT NULL DEFAULT '{}',
      ADD COLUMN verdict_lists text[] NOT NULL DEFAULT '{}';
    COMMENT ON COLUMN accounts.lists IS 'optional lists that answers include where the request chooses none';
    COMMENT ON COLUMN accounts.verdict_lists IS 'optional lists whose records count in verdicts';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE accounts DROP COLUMN lists, DROP COLUMN verdict_lists');
}
