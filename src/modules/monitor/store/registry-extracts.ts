import type { Knex } from 'knex';
import { withConnection } from '../../../db/knex.ts';
import { chainSql } from '../../../sources/receita-federal/copy/store/comparisons.ts';

/** Fields of the differences between extracts that no snapshot of a company has. */
const UNWATCHED = ['nature', 'branch_opened', 'gap'];

/**
 * Makes the watched companies of Brazil due that changed between the extracts that lead to a version of the registry's copy, by one join.
 * Each pair of extracts is joined once, in the statement that records it, whichever process does it.
 * @param version id of the version that answers
 * @param now epoch ms
 * @returns number of companies
 */
export const makeChangedDue = (db: Knex, version: string, now: number): Promise<number> =>
  withConnection(
    db,
    async (client) => {
      const { rowCount } = await client.query(
        `WITH RECURSIVE ${chainSql('c.to_version = $1')},
         fresh AS (INSERT INTO monitor_extracts (comparison_id, joined_at) SELECT id, $2 FROM chain ON CONFLICT DO NOTHING RETURNING comparison_id),
         changed AS MATERIALIZED (
           SELECT w.country, w.tax_id FROM watched_companies w
           WHERE w.country = 'BR' AND w.due_at > $2 AND EXISTS (
             SELECT FROM receita_changes c WHERE c.comparison_id IN (SELECT comparison_id FROM fresh) AND c.root = left(w.tax_id, 8)
               AND coalesce(c.branch, substr(w.tax_id, 9, 4)) = substr(w.tax_id, 9, 4) AND c.field <> ALL ($3))
           ORDER BY w.country, w.tax_id FOR UPDATE OF w)
         UPDATE watched_companies w SET due_at = $2 FROM changed WHERE w.country = changed.country AND w.tax_id = changed.tax_id`,
        [version, new Date(now), UNWATCHED],
      );
      await client.query(
        'DELETE FROM monitor_extracts e WHERE NOT EXISTS (SELECT FROM receita_comparisons c WHERE c.id = e.comparison_id)',
      );
      return rowCount ?? 0;
    },
    { statementTimeoutMs: 0 },
  );

/** Returns true if extracts were joined with the watched companies since a time (epoch ms). */
export async function hasJoinedSince(trx: Knex, since: number): Promise<boolean> {
  const row = await trx('monitor_extracts').where('joined_at', '>', new Date(since)).first('comparison_id');
  return row !== undefined;
}
