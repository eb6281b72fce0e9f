import type { Knex } from 'knex';

/** Limits what one API key stores under Idempotency-Keys a day, and records which modules a stored answer needs. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE idempotency_keys ADD COLUMN modules text[] NOT NULL DEFAULT '{}';
    COMMENT ON COLUMN idempotency_keys.modules IS 'modules that the answer needs: a repeated request must have them, too';
    COMMENT ON COLUMN idempotency_keys.body IS 'sealed: an answer may hold a secret that is shown once; null when the answer was too large to store';
    CREATE TABLE idempotency_quotas (
      key_id uuid NOT NULL,
      day date NOT NULL,
      keys integer NOT NULL,
      bytes bigint NOT NULL,
      PRIMARY KEY (key_id, day)
    );
    CREATE INDEX idempotency_quotas_day ON idempotency_quotas (day);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE idempotency_quotas; ALTER TABLE idempotency_keys DROP COLUMN modules');
}
