import type { Knex } from 'knex';

/**
 * The name of the person who decided about a candidate, and the role of a key. A process of the release before writes decisions without a
 * name; then the name of the key applies.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE api_keys ADD COLUMN role text NOT NULL DEFAULT 'administer' CHECK (role IN ('read', 'decide', 'administer'));
    COMMENT ON COLUMN api_keys.role IS 'what the key may change: nothing, decisions and watched companies, or everything';
  `);
  for (const table of ['match_dismissals', 'match_confirmations'])
    await knex.raw(`
      ALTER TABLE ${table} ADD COLUMN key_name text;
      UPDATE ${table} d SET key_name = k.name FROM api_keys k WHERE k.id = d.key_id;
      COMMENT ON COLUMN ${table}.key_name IS 'the name of the key at the time of the decision; null if a release without this column decided';
    `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE match_dismissals DROP COLUMN key_name;
    ALTER TABLE match_confirmations DROP COLUMN key_name;
    ALTER TABLE api_keys DROP COLUMN role;
  `);
}
