import type { Knex } from 'knex';

/**
 * Search of companies by name. The index of a version consists of two tables, `sii_names_v{id}` and `sii_words_v{id}`, which the sync
 * creates after the version has become current; sii_name_indexes tells which index answers. pg_trgm compares words that are not equal.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE EXTENSION IF NOT EXISTS pg_trgm;

    CREATE TABLE sii_name_indexes (
      origin text PRIMARY KEY,
      version_id bigint NOT NULL
    );
    COMMENT ON COLUMN sii_name_indexes.version_id IS 'version whose names are in sii_names_v{id} and sii_words_v{id}; one behind while the next index is built';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE sii_name_indexes');
}
