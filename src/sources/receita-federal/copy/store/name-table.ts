import type pg from 'pg';
import { inClientTransaction } from '../../../../db/client-transaction.ts';
import { nameWordsSql } from '../name-words.ts';
import { tableOf } from './tables.ts';

/** Kinds of names in the column `kind`. */
export const NAME_KINDS = { legal: 1, trade: 2 } as const;

/** Number of levels. The level of a name is the number of times that its root is in the oldest quarter, of the oldest quarter, and so on. */
export const LEVELS = 6;

/**
 * SQL: the terms of a row of the table of names, under the GIN index: the words of the name, which are in capitals, and after them the
 * values by which a search is limited, each with a small letter before it. `n` number of words, `a` active, `h` head office, `u` UF, `m`
 * municipality, `c` activity, `d` its first four digits, `e` its first two, `j` legal nature, `z` size, `y` year of the start, `k1` … `k6` levels.
 */
export const TERMS = `string_to_array(words
  || ' n' || (length(words) - length(replace(words, ' ', '')) + 1)::text || CASE WHEN is_active THEN ' a1' ELSE ' a0' END
  || CASE WHEN is_head THEN ' h1' ELSE ' h0' END || ' u' || coalesce(state, '') || ' m' || coalesce(municipality::text, '')
  || coalesce(' c' || lpad(activity::text, 7, '0') || ' d' || left(lpad(activity::text, 7, '0'), 4) || ' e' || left(lpad(activity::text, 7, '0'), 2), '')
  || ' j' || coalesce(nature::text, '') || ' z' || coalesce(size::text, '')
  || ' y' || coalesce(extract(year FROM started_on)::integer::text, '') || left(' k1 k2 k3 k4 k5 k6', level * 3), ' ')`;

/** SQL: true for a company that is a natural person, as `isPersonalNature` is. */
const IS_PERSONAL = `(coalesce(r.mei, false) OR coalesce(c.nature, 0) IN (0, 2135) OR c.nature BETWEEN 4000 AND 4999)`;

/** SQL: the words of a trade name that are not words of the person's own name. */
const WITHOUT_PERSON = `(SELECT string_agg(word, ' ' ORDER BY nth) FROM unnest(string_to_array(w.trade, ' ')) WITH ORDINALITY AS t (word, nth)
  WHERE word <> ALL (string_to_array(w.legal, ' ')))`;

/**
 * Builds the tables of names and of terms of a version, in one transaction. A row is a name of one establishment: the legal name, and the
 * trade name if its words differ. The legal name of a natural person is not in it, nor are its words in a trade name, so that a search
 * finds no people. The table of terms has each term with its number of rows, and the number of all rows under the empty term.
 */
export async function indexNames(client: pg.ClientBase, id: string): Promise<void> {
  const [names, terms] = [tableOf('names', id), tableOf('terms', id)];
  await inClientTransaction(client, async () => {
    for (const step of [
      `SET LOCAL work_mem = '64MB'`,
      `SET LOCAL maintenance_work_mem = '128MB'`,
      `DROP TABLE IF EXISTS ${names}, ${terms}`,
      `CREATE TABLE ${names} AS ${namesQuery(id)}`,
      `CREATE INDEX ${names}_0 ON ${names} USING gin ((${TERMS})) WITH (fastupdate = off)`,
      `CREATE TABLE ${terms} AS SELECT term COLLATE "C" AS term, count(*)::integer AS names FROM ${names}, unnest(${TERMS}) AS term GROUP BY 1
         UNION ALL SELECT '', count(*)::integer FROM ${names}`,
      `CREATE UNIQUE INDEX ${terms}_0 ON ${terms} (term) INCLUDE (names)`,
      `ANALYZE ${names}, ${terms}`,
    ])
      await client.query(step);
  });
  await client.query(`VACUUM ${terms}`); // so that the index alone answers, also before Postgres vacuums the table by itself
}

/** False for a version that was loaded by an earlier release, and has no index of names. */
export async function hasNames(client: pg.ClientBase, id: string): Promise<boolean> {
  const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS exists', [tableOf('names', id)]);
  return rows[0].exists;
}

/** Deletes the names of a company, and their terms if no other name has them. */
export async function deleteNames(client: pg.ClientBase, id: string, root: string): Promise<void> {
  if (!(await hasNames(client, id))) return;
  const [names, terms] = [tableOf('names', id), tableOf('terms', id)];
  await client.query(
    `WITH gone AS (DELETE FROM ${names} WHERE root = $1 RETURNING ${TERMS} AS terms),
       counts AS (SELECT term, count(*)::integer AS n FROM gone, unnest(gone.terms) AS term GROUP BY 1)
     UPDATE ${terms} t SET names = t.names - counts.n FROM counts WHERE t.term = counts.term COLLATE "C"`,
    [root],
  );
  await client.query(`DELETE FROM ${terms} WHERE names <= 0 AND term <> ''`);
}

function namesQuery(id: string): string {
  const [companies, establishments, regimes] = [tableOf('companies', id), tableOf('establishments', id), tableOf('regimes', id)];
  const bounds = Array.from(
    { length: LEVELS },
    (_, i) => `(SELECT root FROM ${companies} ORDER BY root OFFSET (total.n / ${4 ** (i + 1)}) LIMIT 1)`,
  );
  return `
    WITH total AS (SELECT count(*) AS n FROM ${companies}),
      bounds AS MATERIALIZED (SELECT ${bounds.map((bound, i) => `${bound} AS b${i + 1}`).join(', ')} FROM total)
    SELECT e.root, e.branch, n.kind::smallint AS kind, n.words, e.is_head, e.status IN (2, 5) AS is_active, e.state, e.municipality,
      e.activity, c.nature, c.size, e.started_on,
      (${bounds.map((_, i) => `(e.root < b.b${i + 1})::integer`).join(' + ')})::smallint AS level
    FROM ${establishments} e JOIN ${companies} c ON c.root = e.root LEFT JOIN ${regimes} r ON r.root = e.root CROSS JOIN bounds b
      CROSS JOIN LATERAL (SELECT ${IS_PERSONAL} AS is_personal, ${nameWordsSql("coalesce(c.name, '')")} AS legal,
        ${nameWordsSql("coalesce(e.trade_name, '')")} AS trade OFFSET 0) w
      CROSS JOIN LATERAL (VALUES
        (${NAME_KINDS.legal}, CASE WHEN w.is_personal THEN '' ELSE w.legal END),
        (${NAME_KINDS.trade}, CASE WHEN w.is_personal THEN ${WITHOUT_PERSON} WHEN w.trade = w.legal THEN '' ELSE w.trade END)
      ) n (kind, words)
    WHERE n.words <> ''`;
}
