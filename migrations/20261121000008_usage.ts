import type { Knex } from 'knex';

/**
 * What is billed, and what keeps a repeated request from being billed twice.
 * - usage_events: one row an answer that counts, written before the answer is given. usage_counters: their number, kept by the same
 *   statement. Neither refers to api_keys: usage outlives its key, and a reference would be looked up for every row.
 * - idempotency_keys: who works on a request under an Idempotency-Key, or what came of it, for 24 hours.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE usage_events (
      id uuid PRIMARY KEY,
      key_id uuid NOT NULL,
      module text NOT NULL,
      month date NOT NULL,
      at timestamptz NOT NULL,
      request_id text NOT NULL,
      question_hash bytea NOT NULL
    );
    CREATE INDEX usage_events_month ON usage_events USING brin (month);
    COMMENT ON INDEX usage_events_month IS 'rows lie in the order of time: this costs a writer next to nothing';
    COMMENT ON COLUMN usage_events.id IS 'ordered by time; under an Idempotency-Key derived from its claim and the question, so that it comes once';
    COMMENT ON COLUMN usage_events.month IS 'first day, in UTC, of the month in which the request began';
    COMMENT ON COLUMN usage_events.at IS 'when the request began';
    COMMENT ON COLUMN usage_events.question_hash IS 'SHA-256 of the question, which itself may name a person';

    CREATE TABLE usage_counters (
      key_id uuid NOT NULL,
      module text NOT NULL,
      month date NOT NULL,
      used bigint NOT NULL,
      PRIMARY KEY (key_id, module, month)
    );

    CREATE TABLE idempotency_keys (
      key_id uuid NOT NULL,
      idem_key text NOT NULL,
      claim uuid NOT NULL,
      attempt uuid NOT NULL,
      body_hash bytea NOT NULL,
      state text NOT NULL CHECK (state IN ('running', 'done', 'free')),
      status integer,
      headers jsonb,
      body bytea,
      created_at timestamptz NOT NULL,
      lease_until timestamptz NOT NULL,
      PRIMARY KEY (key_id, idem_key)
    );
    CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
    COMMENT ON COLUMN idempotency_keys.claim IS 'stays the same for all attempts within 24 hours';
    COMMENT ON COLUMN idempotency_keys.attempt IS 'who works on it: nobody else may end it';
    COMMENT ON COLUMN idempotency_keys.state IS 'free: the last attempt failed, and the next may come with any body';
    COMMENT ON COLUMN idempotency_keys.body IS 'sealed: an answer may hold a secret that is shown once';
    COMMENT ON COLUMN idempotency_keys.lease_until IS 'from then on a running attempt is taken for dead';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE idempotency_keys, usage_counters, usage_events');
}
