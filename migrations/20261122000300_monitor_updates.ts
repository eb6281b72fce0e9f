import type { Knex } from 'knex';

/** Monitors without a webhook, and the observation that the changes of several monitors have in common. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE monitors ALTER COLUMN webhook_url DROP NOT NULL;
    COMMENT ON COLUMN monitors.webhook_url IS 'null: changes are read by query and subscription only';
    ALTER TABLE changes ADD COLUMN observation_id uuid;
    COMMENT ON COLUMN changes.observation_id IS 'the same for every monitor that reports the observation; null for changes of earlier releases';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM monitors WHERE webhook_url IS NULL;
    ALTER TABLE monitors ALTER COLUMN webhook_url SET NOT NULL;
    ALTER TABLE changes DROP COLUMN observation_id;
  `);
}
