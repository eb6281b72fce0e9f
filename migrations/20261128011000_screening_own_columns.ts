import type { Knex } from 'knex';

/** The caller's own columns of a portfolio, for result files. They are stored only if the caller asks for it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE screenings ADD COLUMN own_columns text[];
    ALTER TABLE screening_companies ADD COLUMN own_cells jsonb;
    ALTER TABLE screening_rejects ADD COLUMN own_cells jsonb;
    COMMENT ON COLUMN screenings.own_columns IS 'names of the other columns of the csv file; null unless they are kept';
    COMMENT ON COLUMN screening_companies.own_cells IS 'texts of the row in own_columns, with CPFs masked; null unless they are kept';
    COMMENT ON COLUMN screening_rejects.own_cells IS 'texts of the row in own_columns, with CPFs masked; null unless they are kept';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE screenings DROP COLUMN own_columns;
    ALTER TABLE screening_companies DROP COLUMN own_cells;
    ALTER TABLE screening_rejects DROP COLUMN own_cells;
  `);
}
