import type { Knex } from 'knex';

const TABLES = ['match_dismissals', 'match_confirmations', 'waiting_dismissals', 'waiting_confirmations'] as const;

/** The person who signed in and decided about a candidate, because two people may act through one key. */
export async function up(knex: Knex): Promise<void> {
  for (const table of TABLES)
    await knex.raw(`
      ALTER TABLE ${table} ADD COLUMN person_id text;
      COMMENT ON COLUMN ${table}.person_id IS 'the person who signed in and decided; null for a request with the key itself';
    `);
}

export async function down(knex: Knex): Promise<void> {
  for (const table of TABLES) await knex.raw(`ALTER TABLE ${table} DROP COLUMN person_id`);
}
