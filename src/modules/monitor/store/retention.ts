import type { Knex } from 'knex';
import type { PurgeBatch } from '../../../db/batches.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { deleteEndpoints, lockForDeletion } from '../../../webhooks/store/endpoints.ts';
import { deleteUnwatched, lockWatchList } from './monitors.ts';

/**
 * Deletes the beginning of the change log, up to the first change to be kept, and moves the head's `kept_from` in the same transaction.
 * @returns number of deleted changes
 */
export const purgeChanges = (db: Knex, { before, limit }: PurgeBatch): Promise<number> =>
  db.transaction(async (trx) => {
    const { rows } = await trx.raw(
      `WITH oldest AS (SELECT position, detected_at FROM changes ORDER BY position LIMIT ?)
       SELECT coalesce(min(position) FILTER (WHERE detected_at >= ?), max(position) + 1) AS kept_from FROM oldest`,
      [limit, new Date(before)],
    );
    const keptFrom: string | null = rows[0].kept_from;
    const deleted = keptFrom === null ? 0 : await trx('changes').where('position', '<', keptFrom).delete();
    if (deleted > 0) await trx('log_heads').where({ stream: 'changes' }).update({ kept_from: keptFrom });
    return deleted;
  });

/** Deletes cancelled monitors that no stored change or delivery names any more. @returns number of deleted monitors */
export const purgeCancelledMonitors = (db: Knex, { before, limit }: PurgeBatch): Promise<number> =>
  db.transaction(async (trx) => {
    const { rows } = await trx.raw(
      `SELECT id FROM monitors m WHERE cancelled_at < ?
         AND NOT EXISTS (SELECT FROM deliveries WHERE monitor_id = m.id) AND NOT EXISTS (SELECT FROM changes WHERE monitor_id = m.id)
       LIMIT ?`,
      [new Date(before), limit],
    );
    const ids: readonly string[] = rows.map(({ id }: { readonly id: string }) => id);
    await lockForDeletion(trx, ids);
    await deleteEndpoints(trx, ids);
    await trx('monitors').whereIn('id', ids).delete();
    return ids.length;
  });

/** Number of watched companies read by one statement, which takes about 50 ms. */
const PAGE_SIZE = 5_000;
/** Number of companies deleted in one transaction, which locks the watch list. */
const DELETED_SIZE = 500;

/** Deletes watched companies that no active monitor names, such as those of an erased customer. Reads all of them, page by page. */
export async function purgeUnwatchedCompanies(db: Knex): Promise<void> {
  let page: readonly WatchedRow[] = [];
  do {
    page = await pageWatched(db, page.at(-1));
    const unwatched = page.flatMap(({ is_watched, ...company }) => (is_watched ? [] : [company]));
    for (let start = 0; start < unwatched.length; start += DELETED_SIZE) {
      await db.transaction(async (trx) => {
        await lockWatchList(trx);
        await deleteUnwatched(
          trx,
          unwatched.slice(start, start + DELETED_SIZE).map(({ country, tax_id: taxId }) => ({ country, taxId })),
        );
      });
    }
  } while (page.length === PAGE_SIZE);
}

interface WatchedRow {
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly is_watched: boolean;
}

/** Reads watched companies after a given one, sorted by company. */
async function pageWatched(db: Knex, after?: WatchedRow): Promise<readonly WatchedRow[]> {
  const { rows } = await db.raw(
    `SELECT country, tax_id, EXISTS (
       SELECT FROM monitor_companies c JOIN monitors m ON m.id = c.monitor_id
       WHERE c.country = w.country AND c.tax_id = w.tax_id AND m.cancelled_at IS NULL) AS is_watched
     FROM watched_companies w WHERE (country, tax_id) > (?, ?) ORDER BY country, tax_id LIMIT ?`,
    [after?.country ?? '', after?.tax_id ?? '', PAGE_SIZE],
  );
  return rows;
}
