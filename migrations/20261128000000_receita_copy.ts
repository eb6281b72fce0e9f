import type { Knex } from 'knex';

/**
 * The own copy of the Brazilian registry's monthly files. The rows of a version are in tables of their own (`receita_companies_v1`, …),
 * which the import creates and drops, so that a drop takes no time and the statistics belong to one version.
 * - receita_versions: one extract that is loading or was loaded completely.
 * - receita_files: the files of a version that were loaded, one row per file, written in the transaction of its rows.
 * - receita_unread: companies of which a row could not be read. They count as a failed source.
 * - receita_lookups: names of the codes of a version, and of codes that the registry's own tables lack.
 * - receita_current: the version that answers, and the one before it, by origin.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE receita_versions (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      origin text NOT NULL,
      extracted_on date NOT NULL,
      started_at timestamptz NOT NULL,
      loaded_at timestamptz,
      facts jsonb
    );
    COMMENT ON COLUMN receita_versions.origin IS 'sandbox, or publisher for the files of Receita Federal';
    COMMENT ON COLUMN receita_versions.loaded_at IS 'null while the import is not complete';
    COMMENT ON COLUMN receita_versions.facts IS 'counts by which the next version is judged';

    CREATE TABLE receita_files (
      version_id bigint NOT NULL REFERENCES receita_versions ON DELETE CASCADE,
      name text NOT NULL,
      checksum text NOT NULL,
      rows integer NOT NULL,
      unread integer NOT NULL,
      unattributed integer NOT NULL,
      notes jsonb NOT NULL,
      PRIMARY KEY (version_id, name)
    );
    COMMENT ON COLUMN receita_files.checksum IS 'CRC-32 and size of the unpacked file';
    COMMENT ON COLUMN receita_files.unattributed IS 'unread rows whose company is unknown';
    COMMENT ON COLUMN receita_files.notes IS 'number of values that were replaced by null, by reason';

    CREATE TABLE receita_unread (
      version_id bigint NOT NULL REFERENCES receita_versions ON DELETE CASCADE,
      root text COLLATE "C" NOT NULL,
      PRIMARY KEY (version_id, root)
    );

    CREATE TABLE receita_lookups (
      version_id bigint NOT NULL REFERENCES receita_versions ON DELETE CASCADE,
      kind text NOT NULL,
      code integer NOT NULL,
      name text NOT NULL,
      source text,
      PRIMARY KEY (version_id, kind, code)
    );
    COMMENT ON COLUMN receita_lookups.kind IS 'activity, reason, municipality, nature, country or role';
    COMMENT ON COLUMN receita_lookups.source IS 'source of a name that the table of the registry lacks; null for its own names';

    CREATE TABLE receita_current (
      origin text PRIMARY KEY,
      version_id bigint NOT NULL REFERENCES receita_versions,
      previous_id bigint REFERENCES receita_versions,
      switched_at timestamptz NOT NULL
    );
    COMMENT ON COLUMN receita_current.previous_id IS 'version to which a rollback returns; null if there is none';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema()
        AND tablename ~ '^receita_(companies|establishments|partners|regimes|links|names|terms)_v[0-9]+$'
      LOOP EXECUTE format('DROP TABLE %I', name); END LOOP;
    END $$;
    DROP TABLE receita_current, receita_lookups, receita_unread, receita_files, receita_versions`);
}
