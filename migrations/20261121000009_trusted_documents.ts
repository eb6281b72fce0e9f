import type { Knex } from 'knex';

/** GraphQL documents that an operator registered, and keys that may run no others. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE trusted_documents (
      hash bytea PRIMARY KEY,
      name text NOT NULL,
      text text NOT NULL,
      created_at timestamptz NOT NULL
    );
    COMMENT ON COLUMN trusted_documents.hash IS 'SHA-256 of the text';
    COMMENT ON COLUMN trusted_documents.name IS 'the file that it came from';
    ALTER TABLE api_keys ADD COLUMN trusted_only boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN api_keys.trusted_only IS 'GraphQL: it runs trusted documents alone';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE api_keys DROP COLUMN trusted_only;
    DROP TABLE trusted_documents;
  `);
}
