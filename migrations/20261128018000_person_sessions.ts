import type { Knex } from 'knex';

/** Sessions of people who signed in by OpenID Connect. Neither the token of the cookie nor the issuer's identifier of the person is stored. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE person_sessions (
      id uuid PRIMARY KEY,
      hash bytea NOT NULL UNIQUE,
      key_id uuid NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      issuer text NOT NULL,
      person_id text NOT NULL,
      name text NOT NULL,
      email text,
      role text NOT NULL CHECK (role IN ('read', 'decide', 'administer')),
      created_at timestamptz NOT NULL,
      last_used_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL
    );
    CREATE INDEX person_sessions_person ON person_sessions (person_id, created_at);
    CREATE INDEX person_sessions_key ON person_sessions (key_id);
    COMMENT ON TABLE person_sessions IS 'people who are signed in to the dashboard by OpenID Connect';
    COMMENT ON COLUMN person_sessions.hash IS 'keyed hash of the token in the cookie of the session';
    COMMENT ON COLUMN person_sessions.key_id IS 'the API key through which the person acts';
    COMMENT ON COLUMN person_sessions.person_id IS 'keyed hash of the issuer and of its identifier of the person';
    COMMENT ON COLUMN person_sessions.last_used_at IS 'to the minute';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE person_sessions');
}
