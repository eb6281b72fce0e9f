import type { Knex } from 'knex';

/**
 * The Chilean tax registry's public files, merged to one row a company. Which edition answers stands in registries and
 * registry_versions, as for any other copy.
 * - sii_companies: the companies, one partition per edition, attached in the transaction that moves the pointer.
 * - sii_files: what an edition was read from, to judge the next one by.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE sii_companies (
      version_id bigint NOT NULL,
      rut integer NOT NULL,
      name text NOT NULL,
      commercial_year smallint,
      started_on date,
      first_registered_on date,
      ended_on date,
      end_kind text,
      sales_bracket smallint,
      workers integer,
      activity_code text,
      activity text,
      region text,
      commune text,
      kind text,
      PRIMARY KEY (version_id, rut)
    ) PARTITION BY LIST (version_id);
    COMMENT ON COLUMN sii_companies.rut IS 'without its check digit, which follows from it';
    COMMENT ON COLUMN sii_companies.commercial_year IS 'year of the newest row, whose situation is that of 31 December; null for a company of the list of names only';
    COMMENT ON COLUMN sii_companies.started_on IS 'earliest start of activities that any year states';
    COMMENT ON COLUMN sii_companies.ended_on IS 'end of all activities; null while they go on';
    COMMENT ON COLUMN sii_companies.sales_bracket IS '1 to 13; 1 is not informed';
    COMMENT ON COLUMN sii_companies.workers IS 'dependent workers declared; null is unknown, not zero';
    COMMENT ON COLUMN sii_companies.activity_code IS 'six digits of CIIU4.CL';
    COMMENT ON COLUMN sii_companies.region IS 'ISO 3166-2 without CL-';

    CREATE TABLE sii_files (
      version_id bigint NOT NULL REFERENCES registry_versions ON DELETE CASCADE,
      table_name text NOT NULL,
      rows integer NOT NULL,
      newest_year smallint,
      by_hand boolean NOT NULL,
      PRIMARY KEY (version_id, table_name)
    );
    COMMENT ON COLUMN sii_files.table_name IS 'companies, names, activities or domiciles; files of several years are counted together';
    COMMENT ON COLUMN sii_files.newest_year IS 'newest commercial year among the rows; of companies only';
    COMMENT ON COLUMN sii_files.by_hand IS 'read from a file that an operator named, not from its publisher';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE sii_files, sii_companies');
}
