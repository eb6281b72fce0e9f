import type { Knex } from 'knex';

/**
 * Registry copies: published lists, kept as the publisher wrote them.
 * - registry_versions: every edition ever loaded, with its proof (checksum, counts, date).
 * - registries: which edition answers now, and how the last visits to the publisher went. One row per list and origin, so
 *   that the sandbox's copy never answers for the real one.
 * - registry_entries: the entries, one partition per edition. An edition is loaded into a table of its own and attached in the
 *   transaction that moves the pointer: readers see the old whole or the new whole, and a killed load leaves nothing.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE registry_versions (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL,
      origin text NOT NULL,
      published_on date,
      loaded_at timestamptz NOT NULL,
      rows_read integer NOT NULL,
      rows_skipped integer NOT NULL,
      entries integer NOT NULL,
      named integer NOT NULL,
      checksum text NOT NULL,
      shape integer NOT NULL
    );
    COMMENT ON COLUMN registry_versions.origin IS 'sandbox, or the address template it was read from';
    COMMENT ON COLUMN registry_versions.rows_read IS 'rows of the file, those of people included; the basis of the shrink guard';
    COMMENT ON COLUMN registry_versions.named IS 'legal persons named; fewer of them is as suspect as fewer rows';
    COMMENT ON COLUMN registry_versions.shape IS 'version of the reader that made the records; another one means load again';

    CREATE TABLE registries (
      name text NOT NULL,
      origin text NOT NULL,
      version_id bigint REFERENCES registry_versions,
      checked_at timestamptz,
      attempted_at timestamptz NOT NULL,
      failed_at timestamptz,
      last_error text,
      PRIMARY KEY (name, origin)
    );
    COMMENT ON COLUMN registries.checked_at IS 'last successful visit to the publisher, changed or not';

    CREATE TABLE registry_entries (
      version_id bigint NOT NULL,
      entry_id text NOT NULL,
      keys text[] NOT NULL,
      record jsonb NOT NULL
    ) PARTITION BY LIST (version_id);
    COMMENT ON COLUMN registry_entries.keys IS 'legal persons it names, as COUNTRY:root (BR:11222333, CO:900964705)';
    CREATE INDEX registry_entries_keys ON registry_entries USING gin (keys);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE registry_entries, registries, registry_versions');
}
