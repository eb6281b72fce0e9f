import type { Knex } from 'knex';

/** Selects at most `limit` rows older than `before` (epoch ms). */
export interface PurgeBatch {
  readonly before: number;
  readonly limit: number;
}

/** Number of rows deleted in one transaction. Other writers of a table wait for one batch at most. */
const BATCH_SIZE = 1_000;

/** Repeats a deletion until it finds no full batch. @param purge returns the number of deleted rows */
export async function inBatches(purge: (batch: PurgeBatch) => Promise<number>, before: number, limit = BATCH_SIZE): Promise<void> {
  await untilNotFull(limit, () => purge({ before, limit }));
}

/** The rows of `table` whose `column` is before a time, or a day such as `2026-11-30`. */
export interface OldRows {
  readonly table: string;
  readonly column: string;
  readonly before: Date | string;
}

/** Deletes old rows, in batches. */
export async function purgeOlder(db: Knex, { table, column, before }: OldRows, limit = BATCH_SIZE): Promise<void> {
  const sql = 'DELETE FROM ?? WHERE ctid = ANY(ARRAY(SELECT ctid FROM ?? WHERE ?? < ? LIMIT ?))';
  await untilNotFull(limit, async () => (await db.raw(sql, [table, table, column, before, limit])).rowCount);
}

/** Repeats the deletion of a batch until it deletes fewer than `limit` rows. @param deleteBatch returns the number of deleted rows */
async function untilNotFull(limit: number, deleteBatch: () => Promise<number>): Promise<void> {
  let deleted: number;
  do deleted = await deleteBatch();
  while (deleted === limit);
}
