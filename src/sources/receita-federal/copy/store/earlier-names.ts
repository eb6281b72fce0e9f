import type { Knex } from 'knex';
import { groupByQuery, type NumberedRow, queryTable } from '../../../../db/paging.ts';
import { chainSql } from '../../../copies/store/comparisons.ts';
import { preparedRead } from './prepared.ts';

/** A company by its root, at an ISO date. */
export interface NameQuery {
  readonly root: string;
  readonly asOf: string;
}

/** The name before the first change after the date; its fields are absent for a company whose name has not changed since. */
type EarlierName = NumberedRow & { readonly isChanged: boolean; readonly name: string | null };

/**
 * Returns the name of each company at a date, by one statement: undefined if it is still that of the version, null if it had none.
 * @param queries at most one per company and date
 */
export async function findEarlierNames(
  db: Knex,
  version: string,
  queries: readonly NameQuery[],
): Promise<readonly (string | null | undefined)[]> {
  if (queries.length === 0) return [];
  const { rows } = await preparedRead(
    db,
    `earlier_names_${version}`,
    `WITH RECURSIVE ${chainSql('receita', 'c.to_version = ?')}
     SELECT query.n, found.seq IS NOT NULL AS "isChanged", found.before AS name
     FROM ${queryTable({ root: 'text', asOf: 'date' })}
       LEFT JOIN LATERAL (SELECT c.seq, c.before FROM receita_changes c JOIN chain ON chain.id = c.comparison_id
         WHERE c.root = query.root AND c.field = 'name' AND chain.extract_to > query."asOf" ORDER BY c.seq LIMIT 1) AS found ON true
     ORDER BY query.n`,
    [version, JSON.stringify(queries)],
  );
  return groupByQuery<EarlierName>(rows, queries.length).map(([found]) => (found?.isChanged ? found.name : undefined));
}
