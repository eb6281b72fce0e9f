import type { Knex } from 'knex';

/** The webhook that is sent at the end of a screening. The secret is sealed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE screenings
      ADD COLUMN webhook_url text,
      ADD COLUMN webhook_secret bytea,
      ADD COLUMN webhook_attempts integer NOT NULL DEFAULT 0,
      ADD COLUMN webhook_delivered_at timestamptz,
      ADD COLUMN webhook_error text;
    COMMENT ON COLUMN screenings.webhook_error IS 'kind of the last failed attempt, or http_status and the status; null before an attempt and after a delivery';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE screenings DROP COLUMN webhook_url, DROP COLUMN webhook_secret, DROP COLUMN webhook_attempts,
      DROP COLUMN webhook_delivered_at, DROP COLUMN webhook_error`);
}
