import type { Knex } from 'knex';

/**
 * Orders and awards by supplier, because no marketplace of Chile or Brazil can be asked by supplier.
 * - tender_indexes: one per marketplace and origin, so that the sandbox's index never answers for the real one.
 * - tender_slices: the parts that an index is made of, each replaced whole: a month of a bulk file, a window of days.
 * - tender_rows: one row per order or award and supplier. Without foreign keys: they would be checked row by row, by the million.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE tender_indexes (
      id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      marketplace text NOT NULL,
      origin text NOT NULL,
      edition bigint NOT NULL DEFAULT 0,
      failed_at timestamptz,
      last_error text,
      UNIQUE (marketplace, origin)
    );
    COMMENT ON COLUMN tender_indexes.origin IS 'sandbox, or the address that it was read from';
    COMMENT ON COLUMN tender_indexes.edition IS 'grows with every slice that is replaced';

    CREATE TABLE tender_slices (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      index_id smallint NOT NULL REFERENCES tender_indexes,
      name text NOT NULL,
      tag text,
      published_on date,
      loaded_at timestamptz NOT NULL,
      checked_at timestamptz NOT NULL,
      rows integer NOT NULL,
      UNIQUE (index_id, name)
    );
    COMMENT ON COLUMN tender_slices.tag IS 'what it was read from: an ETag, a checksum; null where there is nothing to compare';
    COMMENT ON COLUMN tender_slices.published_on IS 'day that its data reach';
    COMMENT ON COLUMN tender_slices.checked_at IS 'last time the publisher was seen to have it, changed or not';
    COMMENT ON COLUMN tender_slices.rows IS 'orders and awards that it had when it was loaded; one may have moved to a newer slice since';

    CREATE TABLE tender_rows (
      index_id smallint NOT NULL,
      slice_id integer NOT NULL,
      kind text COLLATE "C" NOT NULL CHECK (kind IN ('order', 'award')),
      supplier text COLLATE "C" NOT NULL,
      code text COLLATE "C" NOT NULL,
      dated timestamp NOT NULL,
      name text NOT NULL,
      status text NOT NULL,
      amount numeric CHECK (amount > '-Infinity' AND amount < 'Infinity'),
      currency text,
      buyer text,
      buyer_tax_id text,
      tender_code text,
      supplier_tax_id text,
      url text,
      PRIMARY KEY (index_id, kind, supplier, code),
      CHECK ((amount IS NULL) = (currency IS NULL)),
      CHECK (kind = 'order' OR (amount IS NOT NULL AND isfinite(dated) AND buyer IS NOT NULL AND buyer_tax_id IS NOT NULL))
    );
    COMMENT ON COLUMN tender_rows.supplier IS 'legal person, as COUNTRY:root (CL:767955618, BR:11222333)';
    COMMENT ON COLUMN tender_rows.dated IS 'local time of the marketplace; -infinity where it states none';
    CREATE INDEX tender_rows_newest ON tender_rows (index_id, kind, supplier, dated, code);
    CREATE INDEX tender_rows_slice ON tender_rows (slice_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE tender_rows, tender_slices, tender_indexes');
}
