import type { Knex } from 'knex';
import type { PurgeBatch } from '../../../db/batches.ts';
import { groupByQuery, type NumberedRow, queryTable } from '../../../db/paging.ts';
import type { CompanyKey } from '../../../domain/company.ts';

interface Row extends NumberedRow {
  readonly tags: readonly string[];
}

/** Reads the tags of companies, each for an account, in the order of their names. */
export async function tagsOfCompanies(
  db: Knex,
  queries: readonly (CompanyKey & { readonly accountId: string })[],
): Promise<readonly (readonly string[])[]> {
  const { rows } = await db.raw(
    `SELECT query.n, t.tags FROM ${queryTable({ accountId: 'uuid', country: 'text', taxId: 'text' })}
       JOIN company_tags t ON t.account_id = query."accountId" AND t.country = query.country AND t.tax_id = query."taxId"`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<Row>(rows, queries.length).map(([row]) => row?.tags ?? []);
}

/** SQL condition: an active monitor of a key of the account watches the company. @param company table with country and tax_id */
const isWatched = (company: string, account: string): string =>
  `EXISTS (SELECT FROM monitor_companies w JOIN monitors m ON m.id = w.monitor_id JOIN api_keys k ON k.id = m.key_id
    WHERE w.country = ${company}.country AND w.tax_id = ${company}.tax_id AND m.cancelled_at IS NULL AND k.account_id = ${account})`;

/** Returns the index of the first of these companies that no monitor of the account watches; null if all are watched. */
export async function firstUnwatched(trx: Knex, accountId: string, companies: readonly CompanyKey[]): Promise<number | null> {
  const { rows } = await trx.raw(
    `SELECT named.n FROM unnest(CAST(:countries AS text[]), CAST(:taxIds AS text[])) WITH ORDINALITY AS named (country, tax_id, n)
     WHERE NOT ${isWatched('named', 'CAST(:accountId AS uuid)')} ORDER BY named.n LIMIT 1`,
    { accountId, ...columnsOf(companies) },
  );
  return rows[0] ? Number(rows[0].n) - 1 : null;
}

/** Adds tags to companies. @returns the largest number of tags that one of them has now */
export async function addTags(trx: Knex, accountId: string, companies: readonly CompanyKey[], tags: readonly string[]): Promise<number> {
  const { rows } = await trx.raw(
    `INSERT INTO company_tags AS t (account_id, country, tax_id, tags)
     SELECT DISTINCT CAST(:accountId AS uuid), country, tax_id, ARRAY(SELECT tag FROM unnest(CAST(:tags AS text[])) AS tag ORDER BY tag)
     FROM unnest(CAST(:countries AS text[]), CAST(:taxIds AS text[])) AS named (country, tax_id)
     ON CONFLICT (account_id, country, tax_id) DO UPDATE
       SET tags = ARRAY(SELECT DISTINCT tag FROM unnest(t.tags || excluded.tags) AS tag ORDER BY tag)
     RETURNING cardinality(tags) AS count`,
    { accountId, tags: [...tags], ...columnsOf(companies) },
  );
  return Math.max(0, ...rows.map(({ count }: { readonly count: number }) => count));
}

/** Removes tags from companies. */
export async function removeTags(trx: Knex, accountId: string, companies: readonly CompanyKey[], tags: readonly string[]): Promise<void> {
  await trx.raw(
    `UPDATE company_tags AS t SET tags = ARRAY(SELECT tag FROM unnest(t.tags) AS tag WHERE tag <> ALL (CAST(:tags AS text[])) ORDER BY tag)
     FROM unnest(CAST(:countries AS text[]), CAST(:taxIds AS text[])) AS named (country, tax_id)
     WHERE t.account_id = :accountId AND t.country = named.country AND t.tax_id = named.tax_id`,
    { accountId, tags: [...tags], ...columnsOf(companies) },
  );
  await trx('company_tags').where({ account_id: accountId }).whereRaw('cardinality(tags) = 0').delete();
}

const columnsOf = (companies: readonly CompanyKey[]) => ({
  countries: companies.map(({ country }) => country),
  taxIds: companies.map(({ taxId }) => taxId),
});

/** Deletes the tags of companies that no monitor of their account watches any more. @returns number of companies */
export async function purgeTags(db: Knex, { limit }: Pick<PurgeBatch, 'limit'>): Promise<number> {
  const { rowCount } = await db.raw(
    `DELETE FROM company_tags WHERE (account_id, country, tax_id) IN (
       SELECT account_id, country, tax_id FROM company_tags t WHERE NOT ${isWatched('t', 't.account_id')} LIMIT ?)`,
    [limit],
  );
  return rowCount;
}
