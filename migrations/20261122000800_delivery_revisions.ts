import type { Knex } from 'knex';

/**
 * Revisions of deliveries come from a sequence, so that writers do not wait for one another. They begin a billion above those that the
 * release before takes from `log_heads` and may take meanwhile: both stay unique.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE SEQUENCE delivery_revisions;
    SELECT setval('delivery_revisions', position + 1000000000) FROM log_heads WHERE stream = 'deliveries';
    ALTER TABLE deliveries ADD COLUMN revised_by xid8,
      ALTER COLUMN revision SET DEFAULT nextval('delivery_revisions'), ALTER COLUMN revised_by SET DEFAULT pg_current_xact_id();
    COMMENT ON COLUMN deliveries.revision IS 'number of its latest update; a partition is sent in this order';
    COMMENT ON COLUMN deliveries.revised_by IS 'transaction of its latest update, by which readers find what was committed since a snapshot; null for updates of earlier releases';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE log_heads SET position = greatest(position, (SELECT coalesce(max(revision), 0) FROM deliveries)) WHERE stream = 'deliveries';
    ALTER TABLE deliveries DROP COLUMN revised_by, ALTER COLUMN revision DROP DEFAULT;
    DROP SEQUENCE delivery_revisions;
  `);
}
