import type { Knex } from 'knex';

/** Numbers the attempts under an Idempotency-Key. A usage record belongs to the latest attempt, so an earlier one that writes late cannot void it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE idempotency_keys ADD COLUMN attempts integer NOT NULL DEFAULT 1;
    ALTER TABLE usage_events ADD COLUMN attempt integer NOT NULL DEFAULT 0;
    COMMENT ON COLUMN usage_events.attempt IS 'number of the attempt under the Idempotency-Key; 0 without one';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE idempotency_keys DROP COLUMN attempts; ALTER TABLE usage_events DROP COLUMN attempt;');
}
