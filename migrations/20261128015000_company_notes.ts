import type { Knex } from 'knex';

/** What people of an account wrote about a company. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE company_notes (
      id uuid PRIMARY KEY,
      account_id uuid NOT NULL REFERENCES accounts,
      country text NOT NULL,
      tax_id text NOT NULL,
      note text NOT NULL,
      key_id uuid NOT NULL,
      key_name text NOT NULL,
      written_at timestamptz NOT NULL
    );
    CREATE INDEX company_notes_of_company ON company_notes (account_id, country, tax_id, written_at, id);
    COMMENT ON COLUMN company_notes.note IS 'the text, of which each CPF is masked';
    COMMENT ON COLUMN company_notes.key_id IS 'the API key that wrote it';
    COMMENT ON COLUMN company_notes.key_name IS 'the name of the key at that time';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE company_notes');
}
