import type { Knex } from 'knex';
import {
  groupByQuery,
  isBeforeCursor,
  type NumberedRow,
  type Page,
  type PageRequest,
  queryTable,
  type TimeCursor,
  toPages,
} from '../../db/paging.ts';
import type { CompanyKey } from '../../domain/company.ts';
import type { Dismissal } from './domain/dismissal.ts';
import type { SanctionsList } from './domain.ts';

/** Channel of the notification that an account has dismissed a candidate or reopened one. */
export const DISMISSALS_CHANNEL = 'match_dismissals';

const COLUMNS = `d.id, d.country, d.tax_id, d.owner_id, d.list, d.entity_id, d.entry_name, encode(d.record_digest, 'hex') AS record_digest, d.reason, d.key_id, d.dismissed_at`;

/** Of each account: true if it has dismissed any candidate. */
export async function haveDismissals(db: Knex, accountIds: readonly string[]): Promise<readonly boolean[]> {
  const { rows } = await db.raw('SELECT DISTINCT account_id FROM match_dismissals WHERE account_id = ANY(?::uuid[])', [[...accountIds]]);
  const found = new Set(rows.map(({ account_id }: { readonly account_id: string }) => account_id));
  return accountIds.map((id) => found.has(id));
}

/** The dismissals of accounts for companies and their owners. */
export async function dismissalsOfCompanies(
  db: Knex,
  queries: readonly (CompanyKey & { readonly accountId: string })[],
): Promise<readonly (readonly Dismissal[])[]> {
  const { rows } = await db.raw(
    `SELECT query.n, ${COLUMNS} FROM ${queryTable({ accountId: 'uuid', country: 'text', taxId: 'text' })}
       JOIN match_dismissals d ON d.account_id = query."accountId" AND d.country = query.country AND d.tax_id = query."taxId"`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<Row>(rows, queries.length).map((group) => group.map(toDismissal));
}

/** Dismissals by id; null for one that the account does not have. */
export async function findDismissals(
  db: Knex,
  queries: readonly { readonly accountId: string; readonly id: string }[],
): Promise<readonly (Dismissal | null)[]> {
  const { rows } = await db.raw(
    `SELECT query.n, ${COLUMNS} FROM ${queryTable({ accountId: 'uuid', id: 'uuid' })}
       JOIN match_dismissals d ON d.id = query.id AND d.account_id = query."accountId"`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<Row>(rows, queries.length).map(([row]) => (row ? toDismissal(row) : null));
}

/** Pages of the dismissals of accounts, newest first. */
export async function pageDismissals(
  db: Knex,
  queries: readonly (PageRequest<TimeCursor> & { readonly accountId: string })[],
): Promise<readonly Page<Dismissal>[]> {
  const { rows } = await db.raw(
    `SELECT query.n, found.* FROM ${queryTable({ accountId: 'uuid', first: 'int', after: 'jsonb' })},
       LATERAL (SELECT ${COLUMNS} FROM match_dismissals d
         WHERE d.account_id = query."accountId" AND ${isBeforeCursor('d.dismissed_at', 'd.id')}
         ORDER BY d.dismissed_at DESC, d.id DESC LIMIT query.first + 1) AS found
     ORDER BY found.dismissed_at DESC, found.id DESC`,
    [JSON.stringify(queries)],
  );
  return toPages<Row, Dismissal>(rows, queries, toDismissal);
}

/**
 * Stores a dismissal, in place of an earlier one of the same candidate, whose id stays. Locks the account, so that the count is exact.
 * @returns the stored dismissal, and how many the account now has
 */
export async function saveDismissal(
  trx: Knex,
  accountId: string,
  { id, company, ownerId, list, entityId, entryName, recordDigest, reason, keyId, dismissedAt }: Dismissal,
): Promise<{ readonly dismissal: Dismissal; readonly count: number }> {
  await trx.raw('SELECT FROM accounts WHERE id = ? FOR NO KEY UPDATE', [accountId]);
  const { rows } = await trx.raw(
    `INSERT INTO match_dismissals AS d
       (id, account_id, country, tax_id, owner_id, list, entity_id, entry_name, record_digest, reason, key_id, dismissed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, decode(?, 'hex'), ?, ?, ?)
     ON CONFLICT (account_id, country, tax_id, owner_id, list, entity_id) DO UPDATE SET entry_name = excluded.entry_name,
       record_digest = excluded.record_digest, reason = excluded.reason, key_id = excluded.key_id, dismissed_at = excluded.dismissed_at
     RETURNING ${COLUMNS}`,
    [
      id,
      accountId,
      company.country,
      company.taxId,
      ownerId ?? '',
      list,
      entityId,
      entryName,
      recordDigest,
      reason,
      keyId,
      new Date(dismissedAt),
    ],
  );
  const counted = await trx.raw('SELECT count(*) FROM match_dismissals WHERE account_id = ?', [accountId]);
  return { dismissal: toDismissal(rows[0]), count: Number(counted.rows[0].count) };
}

/** Deletes a dismissal. @returns it; null for one that the account does not have */
export async function deleteDismissal(trx: Knex, accountId: string, id: string): Promise<Dismissal | null> {
  const { rows } = await trx.raw(`DELETE FROM match_dismissals d WHERE d.id = ? AND d.account_id = ? RETURNING ${COLUMNS}`, [
    id,
    accountId,
  ]);
  return rows[0] ? toDismissal(rows[0]) : null;
}

/** Makes all processes read anew which accounts have dismissals, once the transaction is committed. */
export async function announceDismissals(trx: Knex): Promise<void> {
  await trx.raw('SELECT pg_notify(?, ?)', [DISMISSALS_CHANNEL, '']);
}

interface Row extends NumberedRow {
  readonly id: string;
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly list: SanctionsList;
  readonly owner_id: string;
  readonly entity_id: string;
  readonly entry_name: string;
  readonly record_digest: string;
  readonly reason: string;
  readonly key_id: string;
  readonly dismissed_at: Date;
}

const toDismissal = (row: Row): Dismissal => ({
  id: row.id,
  company: { country: row.country, taxId: row.tax_id },
  ownerId: row.owner_id || null,
  list: row.list,
  entityId: row.entity_id,
  entryName: row.entry_name,
  recordDigest: row.record_digest,
  reason: row.reason,
  keyId: row.key_id,
  dismissedAt: row.dismissed_at.getTime(),
});
