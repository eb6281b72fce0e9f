import type { Knex } from 'knex';

/** Calls of sources by hour, added up over all processes. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE source_hours (
      source text NOT NULL,
      hour timestamptz NOT NULL,
      calls integer NOT NULL,
      failed integer NOT NULL,
      durations integer[] NOT NULL,
      PRIMARY KEY (source, hour)
    );
    CREATE INDEX source_hours_by_hour ON source_hours (hour);
    COMMENT ON COLUMN source_hours.failed IS 'calls that failed, of those in calls; refusals of an open circuit are no calls';
    COMMENT ON COLUMN source_hours.durations IS 'answered calls by duration: counts of the classes of src/domain/durations.ts';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE source_hours');
}
