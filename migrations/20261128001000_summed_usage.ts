import type { Knex } from 'knex';

/** A row of usage_events is the sum of a key's answers of a module in a second, except under an Idempotency-Key and for screenings. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE usage_events ALTER COLUMN request_id DROP NOT NULL;
    COMMENT ON COLUMN usage_events.id IS 'derived, so that it comes once: from the journal file, key, module and second; under an Idempotency-Key from its claim and the question';
    COMMENT ON COLUMN usage_events.at IS 'when the request began; of a sum, its second';
    COMMENT ON COLUMN usage_events.request_id IS 'null for a sum of requests';
    COMMENT ON COLUMN usage_events.quantity IS 'answers that count; 1 under an Idempotency-Key; negative if requests were refused whose answers another row counts';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE usage_events SET request_id = '' WHERE request_id IS NULL;
    ALTER TABLE usage_events ALTER COLUMN request_id SET NOT NULL;
  `);
}
