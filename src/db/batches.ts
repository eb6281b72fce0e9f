/** Selects at most `limit` rows older than `before` (epoch ms). */
export interface PurgeBatch {
  readonly before: number;
  readonly limit: number;
}

/** Number of rows deleted in one transaction. Other writers of a table wait for one batch at most. */
const BATCH_SIZE = 1_000;

/** Repeats a deletion until it finds no full batch. @param purge returns the number of deleted rows */
export async function inBatches(purge: (batch: PurgeBatch) => Promise<number>, before: number): Promise<void> {
  let purged = BATCH_SIZE;
  while (purged === BATCH_SIZE) purged = await purge({ before, limit: BATCH_SIZE });
}
