import type { Knex } from 'knex';

/** Monitors that report list records with names similar to those of their companies, and the names to compare. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE monitors ADD COLUMN candidate_news boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN monitors.candidate_news IS 'true: list records with a name similar to that of a company are reported, too';
    ALTER TABLE watched_companies ADD COLUMN names text[];
    COMMENT ON COLUMN watched_companies.names IS 'legal and trade name at the last check; null before the registry said any';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE monitors DROP COLUMN candidate_news;
    ALTER TABLE watched_companies DROP COLUMN names`);
}
