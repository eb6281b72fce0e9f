import type { Knex } from 'knex';

/** The text of a Chilean share that is no percentage. Versions that are stored already do not have it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE cl_ownership_rows ADD COLUMN share_text text;
    COMMENT ON COLUMN cl_ownership_rows.share_text IS 'text of the cell of an unreadable share, or one out of bounds; null for others';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE cl_ownership_rows DROP COLUMN share_text');
}
