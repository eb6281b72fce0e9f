import type { Knex } from 'knex';

/** The ETag of the file that was read last, so that a publisher need not send an unchanged file again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE registries ADD COLUMN etag text;
    COMMENT ON COLUMN registries.etag IS 'ETag of the file that the last successful sync downloaded; null if the publisher sent none';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE registries DROP COLUMN etag');
}
