import type { Knex } from 'knex';
import { withConnection } from '../../../db/knex.ts';
import { type ComparedRegistry, chainSql } from '../../../sources/copies/store/comparisons.ts';

/** Countries of which the versions of a copied registry are compared. */
export const COMPARED_COUNTRIES = ['BR', 'CL'] as const;
export type ComparedCountry = (typeof COMPARED_COUNTRIES)[number];

interface WatchedRegistry {
  readonly registry: ComparedRegistry;
  /** SQL condition: the change `c` is about the watched company `w`. */
  readonly isAbout: string;
  /** Fields of the differences that no snapshot of a company has. */
  readonly unwatched: readonly string[];
}

const REGISTRIES: Readonly<Record<ComparedCountry, WatchedRegistry>> = {
  BR: {
    registry: 'receita',
    isAbout: 'c.root = left(w.tax_id, 8) AND coalesce(c.branch, substr(w.tax_id, 9, 4)) = substr(w.tax_id, 9, 4)',
    unwatched: ['nature', 'branch_opened', 'gap'],
  },
  CL: { registry: 'cl_ownership', isAbout: 'c.society = left(w.tax_id, -1)::integer', unwatched: ['removed', 'withdrawn', 'gap'] },
};

/** SQL: the ids of the comparisons of all registries, which are unique. */
const ALL_COMPARISONS = Object.values(REGISTRIES)
  .map(({ registry }) => `SELECT id FROM ${registry}_comparisons`)
  .join(' UNION ALL ');

/**
 * Makes the watched companies of a country due that changed between the versions that lead to a version of the registry's copy, by one join.
 * Each pair of versions is joined once, in the statement that records it, whichever process does it.
 * @param version id of the version that answers
 * @param now epoch ms
 * @returns number of companies
 */
export const makeChangedDue = (db: Knex, country: ComparedCountry, version: string, now: number): Promise<number> =>
  withConnection(
    db,
    async (client) => {
      const { registry, isAbout, unwatched } = REGISTRIES[country];
      const { rowCount } = await client.query(
        `WITH RECURSIVE ${chainSql(registry, 'c.to_version = $1')},
         fresh AS (INSERT INTO monitor_extracts (comparison_id, joined_at) SELECT id, $2 FROM chain ON CONFLICT DO NOTHING RETURNING comparison_id),
         changed AS MATERIALIZED (
           SELECT w.country, w.tax_id FROM watched_companies w
           WHERE w.country = '${country}' AND w.due_at > $2 AND EXISTS (
             SELECT FROM ${registry}_changes c WHERE c.comparison_id IN (SELECT comparison_id FROM fresh) AND ${isAbout}
               AND c.field <> ALL ($3))
           ORDER BY w.country, w.tax_id FOR UPDATE OF w)
         UPDATE watched_companies w SET due_at = $2 FROM changed WHERE w.country = changed.country AND w.tax_id = changed.tax_id`,
        [version, new Date(now), unwatched],
      );
      await client.query(`DELETE FROM monitor_extracts e WHERE e.comparison_id NOT IN (${ALL_COMPARISONS})`);
      return rowCount ?? 0;
    },
    { statementTimeoutMs: 0 },
  );

/** Returns true if versions of a country's registry were joined with the watched companies since a time (epoch ms). */
export async function hasJoinedSince(trx: Knex, country: ComparedCountry, since: number): Promise<boolean> {
  const row = await trx('monitor_extracts as e')
    .join(`${REGISTRIES[country].registry}_comparisons as c`, 'c.id', 'e.comparison_id')
    .where('e.joined_at', '>', new Date(since))
    .first('e.comparison_id');
  return row !== undefined;
}
