import type { CopyTarget } from '../../../db/copy-stream.ts';

/**
 * Kinds of tuples of a load besides the companies. Each kind has a negative number, which its tuples have in the column `version_id` and
 * which routes them to a partition. later: a row of a newer year for a company that already has one. past: dates of an older year, or of
 * another row of the same year, with the year and the end. dates: dates of a company with a row that are in a row of the list of names. activity,
 * domicile: values for a company whose row has none. catalogue: the text of an activity code.
 */
export const PARTS = { later: -1, past: -2, dates: -3, activity: -4, domicile: -5, catalogue: -6 } as const;
type Part = keyof typeof PARTS;

/** Columns of a tuple in order, with their types. */
export const COLUMNS = [
  'version_id bigint',
  'rut integer',
  'name text',
  'commercial_year smallint',
  'started_on date',
  'first_registered_on date',
  'ended_on date',
  'end_kind text',
  'sales_bracket smallint',
  'workers integer',
  'activity_code text',
  'activity text',
  'region text',
  'commune text',
  'kind text',
] as const;

/**
 * The SQL of one load, in order. `finish`, or the rollback of the transaction, drops everything it creates except the table of
 * companies. That table has no autovacuum, because a vacuum holds a lock and the next load would fail on it at once.
 */
interface LoadSql {
  /** Creates the table that tuples are copied into. The companies' table is one of its partitions. */
  readonly begin: string;
  /** Table and columns of the tuples. */
  readonly copy: CopyTarget;
  /** Selects whether there are tuples of other kinds than companies. */
  readonly hasMore: string;
  /** Merges tuples of the other kinds into the companies. */
  readonly merge: string;
  /** Detaches the companies' table and drops the rest. */
  readonly finish: string;
}

const COLUMN_NAMES = COLUMNS.map((column) => column.split(' ')[0] ?? '');
/** Columns of a company, without the version. */
const FACTS = COLUMN_NAMES.slice(1).join(', ');
const NAMES = Object.keys(PARTS) as readonly Part[];

/**
 * @param load name of the table that tuples are copied into
 * @param companies name of the companies' table, created with the columns and constraints of a partition of `sii_companies`
 */
export const loadSql = (load: string, companies: string, version: string): LoadSql => ({
  begin: `
    SET LOCAL work_mem = '64MB';
    SET LOCAL default_statistics_target = 10;
    CREATE TABLE ${load} (${COLUMNS.join(', ')}) PARTITION BY LIST (version_id);
    CREATE TABLE ${companies} PARTITION OF ${load} (
      version_id NOT NULL, rut NOT NULL, name NOT NULL,
      CONSTRAINT ${companies}_version CHECK (version_id = ${version}), PRIMARY KEY (version_id, rut)
    ) FOR VALUES IN (${version}) WITH (autovacuum_enabled = false);
    ${NAMES.map((part) => `CREATE UNLOGGED TABLE ${load}_${part} PARTITION OF ${load} FOR VALUES IN (${PARTS[part]});`).join('\n    ')}`,
  copy: { table: load, columns: COLUMN_NAMES },
  hasMore: `SELECT EXISTS (SELECT FROM ${load} WHERE version_id < 0) AS more`,
  merge: `ANALYZE ${load}; ${REPLACE_OLDER_ROWS(load, companies, version)}; ${FILL_MISSING_FACTS(load, companies)}`,
  finish: `ALTER TABLE ${load} DETACH PARTITION ${companies}; DROP TABLE ${load}; ANALYZE ${companies}`,
});

/** Replaces a company's row by its newest `later` row; the dates of all its rows are added to `past`. */
const REPLACE_OLDER_ROWS = (load: string, companies: string, version: string): string => `
  INSERT INTO ${load}_past (version_id, rut, started_on, first_registered_on)
  SELECT ${PARTS.past}, rut, started_on, first_registered_on FROM ${companies} WHERE rut IN (SELECT rut FROM ${load}_later)
  UNION ALL SELECT ${PARTS.past}, rut, started_on, first_registered_on FROM ${load}_later;
  DELETE FROM ${companies} WHERE rut IN (SELECT rut FROM ${load}_later);
  INSERT INTO ${companies} (version_id, ${FACTS})
  SELECT DISTINCT ON (rut) ${version}, ${FACTS} FROM ${load}_later ORDER BY rut, commercial_year DESC`;

/**
 * Fills gaps in the companies from the other kinds of tuples, and updates only the rows that change. The start dates become the earliest
 * of any year and of the list of names. The end date becomes the latest one of the rows of the newest year, which has two rows of some
 * companies, or a later one of the list of names, which repeats some, too. It becomes null if another row of that year or of the list has a
 * start after it and no end. A company without a year has its row from the list.
 * Activity and domicile are filled only in a row that has none.
 */
const FILL_MISSING_FACTS = (load: string, companies: string): string => `
  UPDATE ${companies} company
  SET started_on = whole.started_on, first_registered_on = whole.first_registered_on, ended_on = whole.ended_on,
    end_kind = CASE WHEN whole.ended_on IS NOT NULL THEN coalesce(company.end_kind, whole.repeated_end_kind) END,
    activity_code = whole.activity_code, activity = whole.activity, region = whole.region, commune = whole.commune
  FROM ${companies} c
    LEFT JOIN (
      SELECT rut, min(started_on) AS started_on, min(first_registered_on) AS first_registered_on FROM ${load}_past GROUP BY rut
    ) past USING (rut)
    LEFT JOIN (
      SELECT rut, commercial_year, max(started_on) FILTER (WHERE ended_on IS NULL) AS open_since, max(ended_on) AS ended_on,
        max(end_kind) AS end_kind
      FROM ${load}_past WHERE commercial_year IS NOT NULL GROUP BY rut, commercial_year
    ) repeated USING (rut, commercial_year)
    LEFT JOIN (
      SELECT rut, min(started_on) AS started_on, max(started_on) FILTER (WHERE ended_on IS NULL) AS open_since, max(ended_on) AS ended_on
      FROM ${load}_dates GROUP BY rut
    ) dates USING (rut)
    LEFT JOIN ${load}_activity activity USING (rut)
    LEFT JOIN (
      SELECT DISTINCT ON (rut) rut, region, commune FROM ${load}_domicile ORDER BY rut, started_on DESC NULLS LAST
    ) domicile USING (rut)
    LEFT JOIN (
      SELECT DISTINCT ON (activity) activity, activity_code FROM ${load}_catalogue ORDER BY activity, activity_code
    ) catalogue ON c.activity_code IS NULL AND catalogue.activity = c.activity
    CROSS JOIN LATERAL (
      SELECT CASE WHEN greatest(repeated.open_since, CASE WHEN c.ended_on IS NULL THEN c.started_on END) > last.ended_on THEN NULL
          ELSE last.ended_on END AS ended_on
      FROM (SELECT greatest(c.ended_on, repeated.ended_on) AS ended_on) last
    ) of_year
    CROSS JOIN LATERAL (
      SELECT least(c.started_on, past.started_on, dates.started_on) AS started_on,
        least(c.first_registered_on, past.first_registered_on) AS first_registered_on,
        CASE WHEN greatest(dates.open_since, CASE WHEN c.commercial_year IS NULL AND c.ended_on IS NULL THEN c.started_on END)
            > last.ended_on THEN NULL ELSE last.ended_on END AS ended_on,
        repeated.end_kind AS repeated_end_kind,
        coalesce(c.activity_code, activity.activity_code, catalogue.activity_code) AS activity_code,
        coalesce(c.activity, activity.activity) AS activity,
        coalesce(c.region, domicile.region) AS region,
        CASE WHEN c.region IS NULL THEN coalesce(domicile.commune, c.commune) ELSE c.commune END AS commune
      FROM (SELECT greatest(of_year.ended_on, dates.ended_on) AS ended_on) last
    ) whole
  WHERE company.ctid = c.ctid
    AND (c.started_on, c.first_registered_on, c.ended_on, c.activity_code, c.activity, c.region, c.commune) IS DISTINCT FROM
      (whole.started_on, whole.first_registered_on, whole.ended_on, whole.activity_code, whole.activity, whole.region, whole.commune)`;
