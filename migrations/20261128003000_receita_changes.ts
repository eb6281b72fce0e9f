import type { Knex } from 'knex';

/**
 * The differences between the versions of the own copy of the Brazilian registry.
 * - receita_comparisons: a pair of versions that were compared. The pairs that lead to the version that answers are its history.
 * - receita_changes: the differences of a pair. Each pair has a partition, which the import creates and drops.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE receita_comparisons (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      origin text NOT NULL,
      from_version bigint NOT NULL,
      to_version bigint NOT NULL UNIQUE,
      extract_from date NOT NULL,
      extract_to date NOT NULL,
      counts jsonb
    );
    COMMENT ON COLUMN receita_comparisons.from_version IS 'id of receita_versions, whose row may be deleted';
    COMMENT ON COLUMN receita_comparisons.extract_from IS 'date of the extract of the earlier version';
    COMMENT ON COLUMN receita_comparisons.counts IS 'number of changes by field; null while the comparison is not complete';

    CREATE SEQUENCE receita_changes_seq;
    CREATE TABLE receita_changes (
      comparison_id bigint NOT NULL,
      seq bigint NOT NULL DEFAULT nextval('receita_changes_seq'),
      root text COLLATE "C" NOT NULL,
      branch text COLLATE "C",
      field text NOT NULL,
      before text,
      after text,
      details jsonb,
      PRIMARY KEY (comparison_id, seq)
    ) PARTITION BY LIST (comparison_id);
    ALTER SEQUENCE receita_changes_seq OWNED BY receita_changes.seq;
    CREATE INDEX receita_changes_root ON receita_changes (root, seq);
    COMMENT ON COLUMN receita_changes.seq IS 'order of the changes, oldest first';
    COMMENT ON COLUMN receita_changes.branch IS 'order number of the establishment; null for a field of the legal person';
    COMMENT ON COLUMN receita_changes.before IS 'value, or code, in the earlier version; null for none';
    COMMENT ON COLUMN receita_changes.details IS 'other columns of the earlier version that depend on the field, and the row of a partner'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE receita_changes, receita_comparisons');
}
