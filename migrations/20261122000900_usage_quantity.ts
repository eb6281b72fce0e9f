import type { Knex } from 'knex';

/**
 * A row of usage_events is what a request counts of a module at once, with its quantity: a list of 500 companies was 500 rows.
 * A process of the release before may run meanwhile: its rows have the quantity 1. Its job usage.reconcile counts rows, so it is removed
 * here and has another name now.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE usage_events
      ADD COLUMN quantity integer NOT NULL DEFAULT 1,
      ALTER COLUMN question_hash DROP NOT NULL;
    COMMENT ON COLUMN usage_events.quantity IS 'answers that count; 1 under an Idempotency-Key';
    COMMENT ON COLUMN usage_events.question_hash IS 'SHA-256 of the question, which itself may name a person; null without an Idempotency-Key';

    DO $$ BEGIN
      IF to_regproc('graphile_worker.remove_job') IS NOT NULL THEN PERFORM graphile_worker.remove_job('usage.reconcile'); END IF;
    END $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    INSERT INTO usage_events (id, key_id, module, month, at, request_id, question_hash)
      SELECT gen_random_uuid(), key_id, module, month, at, request_id, '' FROM usage_events, generate_series(2, quantity);
    UPDATE usage_events SET question_hash = '' WHERE question_hash IS NULL;
    ALTER TABLE usage_events DROP COLUMN quantity, ALTER COLUMN question_hash SET NOT NULL;
  `);
}
