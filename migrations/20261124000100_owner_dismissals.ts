import type { Knex } from 'knex';

/** Candidates of owners can be dismissed, too. Part of the first release: no release before it dismisses candidates. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE match_dismissals ADD COLUMN owner_id text NOT NULL DEFAULT '';
    COMMENT ON COLUMN match_dismissals.owner_id IS 'public id of the owner whose candidate it was; empty for a candidate of the company';
    ALTER TABLE match_dismissals DROP CONSTRAINT match_dismissals_account_id_country_tax_id_list_entity_id_key,
      ADD UNIQUE (account_id, country, tax_id, owner_id, list, entity_id)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM match_dismissals WHERE owner_id <> '';
    ALTER TABLE match_dismissals DROP COLUMN owner_id, ADD UNIQUE (account_id, country, tax_id, list, entity_id)`);
}
