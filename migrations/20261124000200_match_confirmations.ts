import type { Knex } from 'knex';

/** Candidates by name that a person of an account has judged to be the company. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE match_confirmations (
      id uuid PRIMARY KEY,
      account_id uuid NOT NULL REFERENCES accounts,
      country text NOT NULL,
      tax_id text NOT NULL,
      owner_id text NOT NULL DEFAULT '',
      list text NOT NULL,
      entity_id text NOT NULL,
      entry_name text NOT NULL,
      record_digest bytea NOT NULL,
      reason text NOT NULL,
      key_id uuid NOT NULL,
      confirmed_at timestamptz NOT NULL,
      UNIQUE (account_id, country, tax_id, owner_id, list, entity_id)
    );
    CREATE INDEX match_confirmations_by_time ON match_confirmations (account_id, confirmed_at, id);
    COMMENT ON COLUMN match_confirmations.owner_id IS 'as in match_dismissals; empty, because only candidates of companies are confirmed';
    COMMENT ON COLUMN match_confirmations.entity_id IS 'the id of the party on the list: OFAC uid, UN DATAID';
    COMMENT ON COLUMN match_confirmations.record_digest IS 'SHA-256 of the record of the list that was judged; with another record the candidate is open again';
    COMMENT ON COLUMN match_confirmations.key_id IS 'the API key that confirmed the candidate';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE match_confirmations');
}
