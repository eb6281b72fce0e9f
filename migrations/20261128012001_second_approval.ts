import type { Knex } from 'knex';

/**
 * Decisions about candidates that wait for a second person, and the setting of accounts. A waiting decision has the columns of a decision in
 * force, and tables of its own, so that a release before this one reads decisions in force only.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE accounts ADD COLUMN needs_approval boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN accounts.needs_approval IS 'true if a decision about a candidate takes effect when a second person approves it';
  `);
  for (const [decided, waiting] of [
    ['match_dismissals', 'waiting_dismissals'],
    ['match_confirmations', 'waiting_confirmations'],
  ] as const)
    await knex.raw(`
      ALTER TABLE ${decided} ADD COLUMN approved_by uuid, ADD COLUMN approved_by_name text, ADD COLUMN approved_at timestamptz;
      COMMENT ON COLUMN ${decided}.approved_by IS 'the API key that approved the decision; null if none was needed';
      CREATE TABLE ${waiting} (LIKE ${decided} INCLUDING DEFAULTS INCLUDING INDEXES INCLUDING COMMENTS, FOREIGN KEY (account_id) REFERENCES accounts);
    `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE waiting_dismissals, waiting_confirmations;
    ALTER TABLE match_dismissals DROP COLUMN approved_by, DROP COLUMN approved_by_name, DROP COLUMN approved_at;
    ALTER TABLE match_confirmations DROP COLUMN approved_by, DROP COLUMN approved_by_name, DROP COLUMN approved_at;
    ALTER TABLE accounts DROP COLUMN needs_approval;
  `);
}
