import type { Knex } from 'knex';

/** Signs of life of those who work off the job queue; the queue's own tables are its package's. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE job_workers (
      id text PRIMARY KEY,
      seen_at timestamptz NOT NULL
    );
    COMMENT ON COLUMN job_workers.id IS 'the worker as the queue names it in locked_by';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE job_workers');
}
