import type { Knex } from 'knex';

/**
 * Checks of portfolios in the background.
 * - screenings: one row a portfolio, with its counts and the lease of the process that works on it.
 * - screening_companies: one row a company of a portfolio, with its result. A company is counted when it leaves the state `pending`.
 * - screening_rejects: rows of a portfolio that are not checked. Their text is not stored: it may be the number of a person.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE screenings (
      id uuid PRIMARY KEY,
      key_id uuid NOT NULL REFERENCES api_keys,
      account_id uuid NOT NULL,
      name text,
      modules text[] NOT NULL,
      state text NOT NULL CHECK (state IN ('queued', 'running', 'done', 'cancelled')),
      total integer NOT NULL,
      done integer NOT NULL DEFAULT 0,
      failed integer NOT NULL DEFAULT 0,
      invalid integer NOT NULL,
      duplicates integer NOT NULL,
      created_at timestamptz NOT NULL,
      finished_at timestamptz,
      due_at timestamptz NOT NULL,
      served_at timestamptz,
      lease uuid,
      leased_until timestamptz
    );
    COMMENT ON COLUMN screenings.modules IS 'modules that each company is checked with, as far as they serve its country';
    COMMENT ON COLUMN screenings.done IS 'companies with an answer; failed has those without';
    COMMENT ON COLUMN screenings.finished_at IS 'null while queued or running';
    COMMENT ON COLUMN screenings.due_at IS 'when the first of its pending companies may be checked';
    COMMENT ON COLUMN screenings.served_at IS 'when its last batch began; the account that was served longest ago is next';
    COMMENT ON COLUMN screenings.lease IS 'of the process that works on a batch; a batch is stored under a valid lease only';
    CREATE INDEX screenings_of_key ON screenings (key_id, created_at, id);
    CREATE INDEX screenings_of_account ON screenings (account_id, served_at);
    CREATE INDEX screenings_unfinished ON screenings (due_at) WHERE finished_at IS NULL;
    CREATE INDEX screenings_finished ON screenings (finished_at) WHERE finished_at IS NOT NULL;

    CREATE TABLE screening_companies (
      screening_id uuid NOT NULL REFERENCES screenings ON DELETE CASCADE,
      ordinal integer NOT NULL,
      country text NOT NULL,
      tax_id text NOT NULL,
      state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'answered', 'failed')),
      attempts integer NOT NULL DEFAULT 0,
      due_at timestamptz NOT NULL,
      risk_level text,
      completeness text,
      findings jsonb,
      failed_modules text[] NOT NULL DEFAULT '{}',
      checked_at timestamptz,
      PRIMARY KEY (screening_id, ordinal),
      UNIQUE (screening_id, country, tax_id)
    );
    COMMENT ON COLUMN screening_companies.ordinal IS 'row of the portfolio, counted from 1';
    COMMENT ON COLUMN screening_companies.findings IS 'the other findings; those without a value are left out';
    COMMENT ON COLUMN screening_companies.checked_at IS 'null while pending';
    CREATE INDEX screening_companies_pending ON screening_companies (screening_id, due_at, ordinal) WHERE state = 'pending';

    CREATE TABLE screening_rejects (
      screening_id uuid NOT NULL REFERENCES screenings ON DELETE CASCADE,
      ordinal integer NOT NULL,
      kind text NOT NULL CHECK (kind IN ('invalid', 'duplicate')),
      reason text NOT NULL,
      PRIMARY KEY (screening_id, ordinal)
    );
    COMMENT ON COLUMN screening_rejects.reason IS 'a sentence for the caller, without the text of the row';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE screening_rejects, screening_companies, screenings');
}
