import type pg from 'pg';
import type { ChangeField } from '../change-field.ts';
import { ImportRefusal } from '../refusal.ts';
import { type ComparedVersion, DIFFERENCES, type Pair } from './differences.ts';
import { withShortLocks } from './short-locks.ts';

/** Number of changes of a comparison, by field. */
export type ChangeCounts = Readonly<Partial<Record<ChangeField, number>>>;

const partitionOf = (comparison: string): string => `receita_changes_c${comparison}`;

/**
 * Writes the differences of two versions, one statement and transaction per kind. An interrupted comparison is deleted and made anew; a
 * complete one is kept, so that the result of a resumed import equals that of an uninterrupted one.
 * @throws ImportRefusal `busy`
 */
export async function compareVersions(
  client: pg.ClientBase,
  origin: string,
  from: ComparedVersion,
  to: ComparedVersion,
): Promise<ChangeCounts> {
  const known = await findComparison(client, to.id);
  if (known?.fromVersion === from.id && known.counts) return known.counts;
  if (known) await dropComparison(client, known.id);
  const id = await startComparison(client, origin, from, to);
  const pair: Pair = { comparison: id, target: partitionOf(id), from, to };
  for (const statement of DIFFERENCES) await client.query(statement(pair));
  await client.query(`ANALYZE ${partitionOf(id)}`);
  const { rows } = await client.query(
    `UPDATE receita_comparisons SET counts = (SELECT coalesce(jsonb_object_agg(field, n), '{}')
       FROM (SELECT field, count(*)::int AS n FROM ${partitionOf(id)} GROUP BY 1) AS t) WHERE id = $1 RETURNING counts`,
    [id],
  );
  return rows[0].counts;
}

async function findComparison(
  client: pg.ClientBase,
  toVersion: string,
): Promise<{ readonly id: string; readonly fromVersion: string; readonly counts: ChangeCounts | null } | null> {
  const { rows } = await client.query(
    'SELECT id::text AS id, from_version::text AS "fromVersion", counts FROM receita_comparisons WHERE to_version = $1',
    [toVersion],
  );
  return rows[0] ?? null;
}

/**
 * Runs `work`, which locks out the readers of all changes, because it adds or removes a partition of them.
 * @throws ImportRefusal `busy` if a statement reads them for minutes
 */
async function alterChanges<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  const done = await withShortLocks(client, work);
  if (!done) throw new ImportRefusal('busy', 'A statement, for instance of a backup, still reads the recorded changes.');
  return done.value;
}

const startComparison = (client: pg.ClientBase, origin: string, from: ComparedVersion, to: ComparedVersion): Promise<string> =>
  alterChanges(client, async () => {
    const { rows } = await client.query(
      `INSERT INTO receita_comparisons (origin, from_version, to_version, extract_from, extract_to) VALUES ($1, $2, $3, $4, $5)
       RETURNING id::text AS id`,
      [origin, from.id, to.id, from.extractedOn, to.extractedOn],
    );
    const { id } = rows[0];
    await client.query(`CREATE TABLE ${partitionOf(id)} PARTITION OF receita_changes FOR VALUES IN (${id})`);
    return id;
  });

const dropComparison = (client: pg.ClientBase, id: string): Promise<void> =>
  alterChanges(client, async () => {
    await client.query(`DROP TABLE IF EXISTS ${partitionOf(id)}`);
    await client.query('DELETE FROM receita_comparisons WHERE id = $1', [id]);
  });

/**
 * SQL: the comparisons that lead to versions (`chain`), the latest first, by a recursive query. It ends at the first version that was
 * compared with none.
 * @param start SQL condition on a comparison `c` with which a chain begins
 */
export const chainSql = (start: string): string => `
  chain AS (
    SELECT c.id, c.from_version, c.extract_from, c.extract_to FROM receita_comparisons c WHERE ${start} AND c.counts IS NOT NULL
    UNION
    SELECT c.id, c.from_version, c.extract_from, c.extract_to
    FROM chain JOIN receita_comparisons c ON c.to_version = chain.from_version AND c.counts IS NOT NULL)`;

/**
 * Deletes the comparisons of an origin that lead to none of the `kept` versions, and those whose later extract is older than `months`
 * before the newest one.
 */
export async function pruneComparisons(
  client: pg.ClientBase,
  origin: string,
  { kept, months }: { readonly kept: readonly string[]; readonly months: number },
): Promise<void> {
  const { rows } = await client.query(
    `WITH RECURSIVE ${chainSql('c.to_version = ANY ($2::bigint[])')}
     SELECT c.id::text AS id FROM receita_comparisons c
     WHERE c.origin = $1 AND (c.id NOT IN (SELECT id FROM chain) OR c.extract_to <= (SELECT max(extract_to) FROM chain) - make_interval(months => $3))`,
    [origin, kept, months],
  );
  for (const { id } of rows) await dropComparison(client, id);
}
