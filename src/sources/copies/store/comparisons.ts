import type pg from 'pg';

/*
 * The differences between the versions of a copied registry. Each pair of versions that was compared is a row of `{prefix}_comparisons`, and
 * its differences are a partition of `{prefix}_changes`. The pairs that lead to the version that answers are the history of the copy. The
 * ids of comparisons and the numbers of changes are unique over all registries.
 */

/** Registries whose versions are compared: the beginning of the names of their tables. */
export type ComparedRegistry = 'receita' | 'cl_ownership';

/**
 * Marks a company, or an establishment, whose changes between two versions are unknown: a row of it could not be read, or it vanished. Its
 * history begins with the later version.
 */
export const GAP = 'gap';

/** A version that is compared. */
export interface ComparedVersion {
  readonly id: string;
  /** ISO date of the data. */
  readonly extractedOn: string;
  /** True if a row whose company is unknown could not be read, so that the version cannot prove an absence. */
  readonly hasUnattributed: boolean;
}

/** Two versions that are compared. */
export interface Pair {
  /** Id of the comparison: digits. */
  readonly comparison: string;
  /** Table for the changes. */
  readonly target: string;
  readonly from: ComparedVersion;
  readonly to: ComparedVersion;
}

/** A statement that writes the changes of one kind. */
export type Difference = (pair: Pair) => string;

/** Runs `work`, which adds or removes a partition of the changes and may so lock out their readers. */
export type AlterChanges = <T>(client: pg.ClientBase, work: () => Promise<T>) => Promise<T>;

export interface ComparisonsSpec {
  readonly registry: ComparedRegistry;
  readonly differences: readonly Difference[];
  readonly alter: AlterChanges;
  /**
   * True if the partition is added after its rows, for a comparison within one transaction: a new partition locks out the readers of the
   * changes until the transaction ends, and adding a filled table does not.
   */
  readonly isFilledFirst?: boolean;
}

/** Number of changes of a comparison, by field. */
type Counts = Readonly<Record<string, number>>;

/** The comparisons that are kept. */
export interface KeptComparisons {
  /** Ids of versions: the comparisons that lead to them are kept. */
  readonly kept: readonly string[];
  /** Age in months of the later extract, before the newest one, from which a comparison is not kept; null for no limit. */
  readonly months: number | null;
}

/** Compares the versions of one registry. */
export interface Comparisons {
  /**
   * Writes the differences of two versions. An interrupted comparison is deleted and made anew; a complete one is kept, so that the result
   * of a resumed import equals that of an uninterrupted one.
   */
  compare(client: pg.ClientBase, origin: string, from: ComparedVersion, to: ComparedVersion): Promise<Counts>;
  /** Deletes the comparisons of an origin that lead to none of the `kept` versions, and those that are too old. */
  prune(client: pg.ClientBase, origin: string, kept: KeptComparisons): Promise<void>;
}

/**
 * SQL: the comparisons that lead to versions (`chain`), the latest first, by a recursive query. It ends at the first version that was
 * compared with none.
 * @param start SQL condition on a comparison `c` with which a chain begins
 */
export const chainSql = (registry: ComparedRegistry, start: string): string => `
  chain AS (
    SELECT c.id, c.from_version, c.extract_from, c.extract_to FROM ${registry}_comparisons c WHERE ${start} AND c.counts IS NOT NULL
    UNION
    SELECT c.id, c.from_version, c.extract_from, c.extract_to
    FROM chain JOIN ${registry}_comparisons c ON c.to_version = chain.from_version AND c.counts IS NOT NULL)`;

/**
 * SQL: the date of the first version of a `chain` since which every change of a company is known.
 * @param isOfCompany SQL condition on a change `g`
 */
export const coveredFromSql = (registry: ComparedRegistry, isOfCompany: string): string =>
  `SELECT greatest((SELECT min(extract_from) FROM chain), (SELECT max(chain.extract_to) FROM ${registry}_changes g
    JOIN chain ON chain.id = g.comparison_id WHERE g.field = '${GAP}' AND ${isOfCompany})) AS at`;

export function createComparisons({ registry, differences, alter, isFilledFirst = false }: ComparisonsSpec): Comparisons {
  const comparisons = `${registry}_comparisons`;
  const changes = `${registry}_changes`;
  const partitionOf = (comparison: string): string => `${changes}_c${comparison}`;

  /** Adds the row of a comparison, and the table for its changes. */
  async function start(client: pg.ClientBase, origin: string, from: ComparedVersion, to: ComparedVersion): Promise<string> {
    const { rows } = await client.query(
      `INSERT INTO ${comparisons} (origin, from_version, to_version, extract_from, extract_to) VALUES ($1, $2, $3, $4, $5)
       RETURNING id::text AS id`,
      [origin, from.id, to.id, from.extractedOn, to.extractedOn],
    );
    const { id } = rows[0];
    await client.query(
      isFilledFirst
        ? `CREATE TABLE ${partitionOf(id)} (LIKE ${changes} INCLUDING ALL, CHECK (comparison_id = ${id}))`
        : `CREATE TABLE ${partitionOf(id)} PARTITION OF ${changes} FOR VALUES IN (${id})`,
    );
    return id;
  }

  const drop = (client: pg.ClientBase, id: string): Promise<void> =>
    alter(client, async () => {
      await client.query(`DROP TABLE IF EXISTS ${partitionOf(id)}`);
      await client.query(`DELETE FROM ${comparisons} WHERE id = $1`, [id]);
    });

  async function find(client: pg.ClientBase, toVersion: string) {
    const { rows } = await client.query(
      `SELECT id::text AS id, from_version::text AS "fromVersion", counts FROM ${comparisons} WHERE to_version = $1`,
      [toVersion],
    );
    const known: { readonly id: string; readonly fromVersion: string; readonly counts: Counts | null } | undefined = rows[0];
    return known;
  }

  return {
    async compare(client, origin, from, to) {
      const known = await find(client, to.id);
      if (known?.fromVersion === from.id && known.counts) return known.counts;
      if (known) await drop(client, known.id);
      const id = await alter(client, () => start(client, origin, from, to));
      const pair: Pair = { comparison: id, target: partitionOf(id), from, to };
      for (const statement of differences) await client.query(statement(pair));
      await client.query(`ANALYZE ${partitionOf(id)}`);
      if (isFilledFirst) await client.query(`ALTER TABLE ${changes} ATTACH PARTITION ${partitionOf(id)} FOR VALUES IN (${id})`);
      const { rows } = await client.query(
        `UPDATE ${comparisons} SET counts = (SELECT coalesce(jsonb_object_agg(field, n), '{}')
           FROM (SELECT field, count(*)::int AS n FROM ${partitionOf(id)} GROUP BY 1) AS t) WHERE id = $1 RETURNING counts`,
        [id],
      );
      return rows[0].counts;
    },

    async prune(client, origin, { kept, months }) {
      const { rows } = await client.query(
        `WITH RECURSIVE ${chainSql(registry, 'c.to_version = ANY ($2::bigint[])')}
         SELECT c.id::text AS id FROM ${comparisons} c
         WHERE c.origin = $1 AND (c.id NOT IN (SELECT id FROM chain)
           OR c.extract_to <= (SELECT max(extract_to) FROM chain) - make_interval(months => $3::int))`,
        [origin, kept, months],
      );
      for (const { id } of rows) await drop(client, id);
    },
  };
}
