import type { Knex } from 'knex';

/** Numbers of changes by day, which outlive the change log. The changes that the log still has are counted here once. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE change_days (
      key_id uuid NOT NULL,
      day date NOT NULL,
      field text NOT NULL,
      changes integer NOT NULL,
      PRIMARY KEY (key_id, day, field)
    );
    CREATE INDEX change_days_by_day ON change_days (day);
    COMMENT ON COLUMN change_days.day IS 'day of detection in UTC';
    COMMENT ON COLUMN change_days.changes IS 'changes of the field; a change that several monitors of the key report counts once';
    INSERT INTO change_days (key_id, day, field, changes)
    SELECT key_id, (detected_at AT TIME ZONE 'UTC')::date, part ->> 'field', count(DISTINCT coalesce(observation_id, id))
    FROM changes, jsonb_array_elements(fields) AS part GROUP BY 1, 2, 3;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE change_days');
}
