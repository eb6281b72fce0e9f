import type { Knex } from 'knex';
import type { PurgeBatch } from '../../../db/batches.ts';
import {
  groupByQuery,
  isBeforeCursor,
  type NumberedRow,
  type Owned,
  type Page,
  type PageRequest,
  queryTable,
  ROW_QUERIES,
  toPages,
} from '../../../db/paging.ts';
import { lockAccount } from '../../../db/transaction.ts';
import type { TimeCursor } from '../../../domain/paging.ts';
import { firstSuccess, lastFailure } from '../../../webhooks/store/delivery-log.ts';
import { dropUnsettled } from '../../../webhooks/store/delivery-queue.ts';
import { deleteEndpoints, insertEndpoint, lockForDeletion, type NewEndpoint } from '../../../webhooks/store/endpoints.ts';
import type { PortfolioCompany, PortfolioRow, StoredRejectedRow } from '../domain/portfolio.ts';
import type { Screening, ScreeningState } from '../domain/screening.ts';

/** Kind of the owner of an endpoint. */
export const SCREENING = 'screening';

/** Columns of a screening `s`. Its own row has the columns of its webhook if the previous release has sent it. */
export const COLUMNS = `s.id, s.key_id, s.name, s.modules, s.state, s.total, s.done, s.failed, s.invalid, s.duplicates, s.own_columns, s.created_at, s.finished_at,
  (SELECT url FROM webhook_endpoints WHERE id = s.id) AS webhook_url,
  coalesce(s.webhook_delivered_at, ${firstSuccess('s.id')}) AS webhook_delivered_at, coalesce(${lastFailure('s.id')}, s.webhook_error) AS webhook_error`;

/** A row of `screenings`. */
export interface ScreeningRow {
  readonly id: string;
  readonly key_id: string;
  readonly name: string | null;
  readonly modules: Screening['modules'];
  readonly state: ScreeningState;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly invalid: number;
  readonly duplicates: number;
  readonly own_columns: readonly string[] | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
  readonly webhook_url: string | null;
  readonly webhook_delivered_at: Date | null;
  readonly webhook_error: string | null;
}

export const toScreening = ({ key_id: keyId, created_at, finished_at, ...row }: ScreeningRow): Screening => ({
  id: row.id,
  keyId,
  name: row.name,
  modules: row.modules,
  state: row.state,
  total: row.total,
  done: row.done,
  failed: row.failed,
  invalid: row.invalid,
  duplicates: row.duplicates,
  ownColumns: row.own_columns,
  createdAt: created_at.getTime(),
  finishedAt: finished_at?.getTime() ?? null,
  webhookUrl: row.webhook_url,
  webhookDeliveredAt: row.webhook_delivered_at?.getTime() ?? null,
  webhookError: row.webhook_delivered_at === null ? row.webhook_error : null,
});

/** Returns the id of a screening with the key that owns it; null when there is no such screening. */
export async function ownerOf(db: Knex, id: string): Promise<Owned | null> {
  const row = await db('screenings').where({ id }).first('key_id');
  return row ? { keyId: row.key_id, id } : null;
}

/** Reads screenings by id; null for a screening that its key does not own. */
export async function findScreenings(db: Knex, queries: readonly Owned[]): Promise<readonly (Screening | null)[]> {
  const { rows } = await db.raw(
    `SELECT query.n, ${COLUMNS} FROM ${ROW_QUERIES} JOIN screenings s ON s.id = query.id AND s.key_id = query."keyId"`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<ScreeningRow & NumberedRow>(rows, queries.length).map(([row]) => (row ? toScreening(row) : null));
}

/** Reads screenings of keys, newest first. */
export async function pageScreenings(
  db: Knex,
  queries: readonly (PageRequest<TimeCursor> & { readonly keyId: string })[],
): Promise<readonly Page<Screening>[]> {
  const { rows } = await db.raw(
    `SELECT query.n, found.* FROM ${queryTable({ keyId: 'uuid', first: 'int', after: 'jsonb' })},
       LATERAL (SELECT ${COLUMNS} FROM screenings s
         WHERE s.key_id = query."keyId" AND ${isBeforeCursor('s.created_at', 's.id')}
         ORDER BY s.created_at DESC, s.id DESC LIMIT query.first + 1) AS found
     ORDER BY found.created_at DESC, found.id DESC`,
    [JSON.stringify(queries)],
  );
  return toPages<ScreeningRow & NumberedRow, Screening>(rows, queries, toScreening);
}

/** A screening to be stored. */
export interface NewScreening extends Pick<Screening, 'id' | 'keyId' | 'name' | 'modules' | 'ownColumns' | 'createdAt'> {
  /** URL and sealed secret; null without a webhook. */
  readonly webhook: Pick<NewEndpoint, 'url' | 'secret'> | null;
  readonly accountId: string;
  readonly companies: readonly PortfolioCompany[];
  readonly rejected: readonly StoredRejectedRow[];
}

/** Number of rows in one INSERT. */
const INSERTED_ROWS = 500;

/** Stores a screening with its rows. A screening without companies is done at once. */
export async function insertScreening(trx: Knex, { companies, rejected, webhook, ...screening }: NewScreening): Promise<void> {
  const at = new Date(screening.createdAt);
  const duplicates = rejected.filter(({ kind }) => kind === 'duplicate').length;
  await trx('screenings').insert({
    id: screening.id,
    key_id: screening.keyId,
    account_id: screening.accountId,
    name: screening.name,
    modules: [...screening.modules],
    state: companies.length === 0 ? 'done' : 'queued',
    total: companies.length,
    invalid: rejected.length - duplicates,
    duplicates,
    own_columns: screening.ownColumns && [...screening.ownColumns],
    created_at: at,
    finished_at: companies.length === 0 ? at : null,
    due_at: at,
  });
  if (webhook) await insertEndpoint(trx, { ...screening, ...webhook, ownerKind: SCREENING, retryPolicy: 'standard' });
  for (let from = 0; from < companies.length; from += INSERTED_ROWS) {
    const part = companies.slice(from, from + INSERTED_ROWS);
    await trx.raw(
      `INSERT INTO screening_companies (screening_id, ordinal, country, tax_id, due_at, own_cells)
       SELECT ?, ordinal, country, tax_id, ?, nullif(own_cells, 'null')
       FROM ROWS FROM (unnest(?::int[], ?::text[], ?::text[]), jsonb_array_elements(?::jsonb)) AS company (ordinal, country, tax_id, own_cells)`,
      [screening.id, at, part.map(({ row }) => row), part.map(({ country }) => country), part.map(({ taxId }) => taxId), cellsOf(part)],
    );
  }
  for (let from = 0; from < rejected.length; from += INSERTED_ROWS) {
    const part = rejected.slice(from, from + INSERTED_ROWS);
    await trx.raw(
      `INSERT INTO screening_rejects (screening_id, ordinal, kind, reason, own_cells)
       SELECT ?, ordinal, kind, reason, nullif(own_cells, 'null')
       FROM ROWS FROM (unnest(?::int[], ?::text[], ?::text[]), jsonb_array_elements(?::jsonb)) AS rejected (ordinal, kind, reason, own_cells)`,
      [screening.id, part.map(({ row }) => row), part.map(({ kind }) => kind), part.map(({ reason }) => reason), cellsOf(part)],
    );
  }
}

/**
 * Returns the own cells of rows as one JSON text, in which null is a row without them. As an array of texts, four megabytes of quotation marks
 * would take two seconds to escape.
 */
const cellsOf = (rows: readonly Pick<PortfolioRow, 'ownCells'>[]): string => JSON.stringify(rows.map(({ ownCells }) => ownCells));

/**
 * Counts the stored rows of an account: companies and rejected rows of all its screenings. Other starts of the account wait until the
 * transaction ends.
 */
export async function countStoredRows(trx: Knex, accountId: string): Promise<number> {
  await lockAccount(trx, accountId);
  const { rows } = await trx.raw('SELECT coalesce(sum(total + invalid + duplicates), 0) AS rows FROM screenings WHERE account_id = ?', [
    accountId,
  ]);
  return Number(rows[0].rows);
}

/** Cancels a screening that is not finished. A batch under way is not stored. @returns false when the key has no such screening */
export async function cancelScreening(trx: Knex, { keyId, id }: Owned, now: number): Promise<boolean> {
  const cancelled = await trx('screenings')
    .where({ id, key_id: keyId, finished_at: null })
    .update({ state: 'cancelled', finished_at: new Date(now), lease: null, leased_until: null });
  return cancelled === 1;
}

/** Cancels the unfinished screenings of keys that are revoked or have expired: nobody may be billed for them any more. */
export async function cancelOfClosedKeys(db: Knex, now: number): Promise<void> {
  const at = new Date(now);
  await db.raw(
    `UPDATE screenings s SET state = 'cancelled', finished_at = ?, lease = NULL, leased_until = NULL FROM api_keys k
     WHERE s.finished_at IS NULL AND k.id = s.key_id AND (k.revoked_at IS NOT NULL OR k.expires_at <= ?)`,
    [at, at],
  );
}

/** Deletes screenings that finished before `before` (epoch ms), with their rows and endpoints. @returns number of screenings */
export const purgeScreenings = (db: Knex, { before, limit }: PurgeBatch, now: number): Promise<number> =>
  db.transaction(async (trx) => {
    const ids: readonly string[] = await trx('screenings').where('finished_at', '<', new Date(before)).limit(limit).pluck('id');
    await lockForDeletion(trx, ids);
    await dropUnsettled(trx, ids, now);
    await deleteEndpoints(trx, ids);
    await trx('screenings').whereIn('id', ids).delete();
    return ids.length;
  });
