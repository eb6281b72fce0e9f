import type { Knex } from 'knex';

/** Candidates by name that a person of an account has judged to be another party. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE match_dismissals (
      id uuid PRIMARY KEY,
      account_id uuid NOT NULL REFERENCES accounts,
      country text NOT NULL,
      tax_id text NOT NULL,
      list text NOT NULL,
      entity_id text NOT NULL,
      entry_name text NOT NULL,
      record_digest bytea NOT NULL,
      reason text NOT NULL,
      key_id uuid NOT NULL,
      dismissed_at timestamptz NOT NULL,
      UNIQUE (account_id, country, tax_id, list, entity_id)
    );
    CREATE INDEX match_dismissals_by_time ON match_dismissals (account_id, dismissed_at, id);
    COMMENT ON COLUMN match_dismissals.entity_id IS 'the id of the party on the list: OFAC uid, UN DATAID';
    COMMENT ON COLUMN match_dismissals.record_digest IS 'SHA-256 of the record of the list that was judged; with another record the candidate is shown again';
    COMMENT ON COLUMN match_dismissals.key_id IS 'the API key that dismissed the candidate';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE match_dismissals');
}
