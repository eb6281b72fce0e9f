import type { Knex } from 'knex';

/**
 * The differences between the versions of the Chilean file of owners, as `receita_comparisons` and `receita_changes` for Brazil. Both take
 * their ids from the sequences of those tables, so that one id names one comparison, or one change, of all registries. They are related to
 * the columns by default values only, because a process of the release before writes to the tables of Brazil meanwhile.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE cl_ownership_comparisons (
      id bigint PRIMARY KEY DEFAULT nextval('receita_comparisons_id_seq'),
      origin text NOT NULL,
      from_version bigint NOT NULL,
      to_version bigint NOT NULL UNIQUE,
      extract_from date NOT NULL,
      extract_to date NOT NULL,
      counts jsonb
    );
    COMMENT ON COLUMN cl_ownership_comparisons.from_version IS 'id of registry_versions, whose rows may be deleted';
    COMMENT ON COLUMN cl_ownership_comparisons.extract_from IS 'date of the earlier file, or of its load if the publisher states none';
    COMMENT ON COLUMN cl_ownership_comparisons.counts IS 'number of changes by field';

    CREATE TABLE cl_ownership_changes (
      comparison_id bigint NOT NULL,
      seq bigint NOT NULL DEFAULT nextval('receita_changes_seq'),
      society integer NOT NULL,
      field text NOT NULL,
      partner integer,
      before text,
      after text,
      PRIMARY KEY (comparison_id, seq)
    ) PARTITION BY LIST (comparison_id);
    CREATE INDEX cl_ownership_changes_society ON cl_ownership_changes (society, seq);
    COMMENT ON COLUMN cl_ownership_changes.seq IS 'order of the changes, oldest first';
    COMMENT ON COLUMN cl_ownership_changes.society IS 'number of the RUT of the company owned, without its check digit';
    COMMENT ON COLUMN cl_ownership_changes.field IS 'partner_joined, partner_left, partner_share; registered and removed: the company as a whole; withdrawn: an owner of a removed company; gap';
    COMMENT ON COLUMN cl_ownership_changes.partner IS 'number of the RUT of the owner; 0 for all natural persons together, null for the company as a whole';
    COMMENT ON COLUMN cl_ownership_changes.before IS 'percentage of the owner in the earlier file; null if it is not known, or there is none'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE cl_ownership_changes, cl_ownership_comparisons');
}
