import type { Knex } from 'knex';

/** How far the comparison of the watched companies with a list version has come, so that another process can continue it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE list_comparisons (
      list text PRIMARY KEY,
      version text NOT NULL,
      phase text NOT NULL CHECK (phase IN ('count', 'publish', 'hold')),
      after_country text NOT NULL,
      after_tax_id text NOT NULL,
      checked integer NOT NULL,
      changed integer NOT NULL
    );
    COMMENT ON COLUMN list_comparisons.version IS 'list version that the watched companies are being compared with';
    COMMENT ON COLUMN list_comparisons.phase IS 'count: all companies are compared, to see how many changed; then their changes are published, or held as a mass change';
    COMMENT ON COLUMN list_comparisons.after_country IS 'with after_tax_id: the last company that the phase is done with; empty at its start';
    COMMENT ON COLUMN list_comparisons.checked IS 'companies compared in the phase count';
    COMMENT ON COLUMN list_comparisons.changed IS 'those of them that changed';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE list_comparisons');
}
