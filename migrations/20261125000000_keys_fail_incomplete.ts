import type { Knex } from 'knex';

/** Keys whose consolidated checks fail when no source answered. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE api_keys ADD COLUMN fails_incomplete boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN api_keys.fails_incomplete IS 'a consolidated check that no source answered is an error, and no answer';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE api_keys DROP COLUMN fails_incomplete');
}
