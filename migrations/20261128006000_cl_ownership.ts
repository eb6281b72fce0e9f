import type { Knex } from 'knex';

/**
 * Owners of Chilean companies, from the file of the tax registry (SII). Which version answers is in `registries` and `registry_versions`, as
 * for every other copy. Each version is a partition, which is attached in the transaction that moves the pointer.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE cl_ownership_rows (
      version_id bigint NOT NULL,
      society integer NOT NULL,
      kind smallint NOT NULL,
      partner integer,
      share numeric,
      share_problem text
    ) PARTITION BY LIST (version_id);
    COMMENT ON COLUMN cl_ownership_rows.society IS 'number of the RUT of the company owned, without its check digit';
    COMMENT ON COLUMN cl_ownership_rows.kind IS '0: a company is the owner; 1: all natural persons together; 2: the owner could not be read, or is a person, whose RUT is not stored';
    COMMENT ON COLUMN cl_ownership_rows.partner IS 'number of the RUT of an owner that is a company';
    COMMENT ON COLUMN cl_ownership_rows.share IS 'percentage of the capital; null if it is not known';
    COMMENT ON COLUMN cl_ownership_rows.share_problem IS 'reason for which the share is not known: blank, unreadable or out_of_bounds';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE cl_ownership_rows');
}
