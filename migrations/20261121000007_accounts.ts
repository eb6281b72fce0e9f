import type { Knex } from 'knex';

/**
 * Who owns keys, and what was done to them.
 * - accounts: customers. Every key belongs to one; those there are get one for each name.
 * - api_key_secrets: what opens a key. A key outlives its secrets, so that callers, monitors and usage belong to it through a rotation.
 * - audit_log: what was done, by whom, to what.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE accounts (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      name text NOT NULL UNIQUE,
      email text,
      created_at timestamptz NOT NULL
    );
    INSERT INTO accounts (name, created_at) SELECT name, min(created_at) FROM api_keys GROUP BY name;

    CREATE TABLE api_key_secrets (
      hash bytea PRIMARY KEY,
      key_id uuid NOT NULL REFERENCES api_keys ON DELETE CASCADE,
      last_four text NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz
    );
    COMMENT ON COLUMN api_key_secrets.hash IS 'HMAC-SHA256 of the key';
    COMMENT ON COLUMN api_key_secrets.last_four IS 'last four characters, to tell keys apart';
    COMMENT ON COLUMN api_key_secrets.expires_at IS 'end of its overlap with the next; null for the one in use';
    INSERT INTO api_key_secrets SELECT hash, id, last_four, created_at, NULL FROM api_keys;
    CREATE INDEX api_key_secrets_of_key ON api_key_secrets (key_id);

    ALTER TABLE api_keys
      ADD COLUMN account_id uuid REFERENCES accounts,
      ADD COLUMN note text,
      ADD COLUMN plan text NOT NULL DEFAULT 'standard',
      ADD COLUMN last_used_at timestamptz;
    UPDATE api_keys k SET account_id = a.id FROM accounts a WHERE a.name = k.name;
    ALTER TABLE api_keys ALTER COLUMN account_id SET NOT NULL, DROP COLUMN hash, DROP COLUMN last_four;
    COMMENT ON COLUMN api_keys.last_used_at IS 'the minute of its last use';
    CREATE INDEX api_keys_of_account ON api_keys (account_id);

    CREATE TABLE audit_log (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      at timestamptz NOT NULL,
      actor text NOT NULL,
      action text NOT NULL,
      subject text NOT NULL,
      facts jsonb NOT NULL
    );
    COMMENT ON COLUMN audit_log.subject IS 'id of what it was done to';
    COMMENT ON COLUMN audit_log.facts IS 'never a key, an address or a name of a person';
    CREATE INDEX audit_log_by_time ON audit_log (at);
    CREATE INDEX audit_log_of_subject ON audit_log (subject text_pattern_ops, id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE audit_log;
    ALTER TABLE api_keys ADD COLUMN hash bytea UNIQUE, ADD COLUMN last_four text;
    UPDATE api_keys k SET hash = s.hash, last_four = s.last_four
      FROM (SELECT DISTINCT ON (key_id) * FROM api_key_secrets ORDER BY key_id, created_at DESC) s WHERE s.key_id = k.id;
    ALTER TABLE api_keys ALTER COLUMN hash SET NOT NULL, ALTER COLUMN last_four SET NOT NULL,
      DROP COLUMN account_id, DROP COLUMN note, DROP COLUMN plan, DROP COLUMN last_used_at;
    DROP TABLE api_key_secrets, accounts;
  `);
}
