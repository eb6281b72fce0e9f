import type { Knex } from 'knex';

/** Monitors whose webhooks get changes of the registry record. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE monitors ADD COLUMN record_news boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN monitors.record_news IS 'true: changes of name, owners, capital, address and special situation are sent by webhook, too';
    COMMENT ON COLUMN watched_companies.snapshot IS '{status, size, activity, activityCode?, name?, owners?, capital?, address?, special_situation?} as last reported; null before the first check'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE monitors DROP COLUMN record_news');
}
