import type { Knex } from 'knex';

/** The extract of its registry from which a watched company was read last. A process of the release before leaves it as it is. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE watched_companies ADD COLUMN extracted_on date;
    COMMENT ON COLUMN watched_companies.extracted_on IS
      'extract of the registry that its last answer with such a date was read from; null if none is known';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE watched_companies DROP COLUMN extracted_on');
}
