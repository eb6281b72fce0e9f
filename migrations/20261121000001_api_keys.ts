import type { Knex } from 'knex';

/** API keys: only a keyed hash is kept, so the table opens nothing. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE api_keys (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      hash bytea NOT NULL UNIQUE,
      last_four text NOT NULL,
      name text NOT NULL,
      modules text[] NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz,
      revoked_at timestamptz
    );
    COMMENT ON COLUMN api_keys.hash IS 'HMAC-SHA256 of the key';
    COMMENT ON COLUMN api_keys.last_four IS 'last four characters, to tell keys apart';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE api_keys');
}
