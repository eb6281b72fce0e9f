import type { Knex } from 'knex';
import { takeTurn } from './monitors.ts';

/** What is forgotten: rows older than an instant (epoch ms), at most `limit` at a time. */
export interface Forget {
  readonly before: number;
  readonly limit: number;
}

/**
 * Forgets the beginning of the change log, up to the first change that is still to be kept, and says in the same transaction where
 * the log begins now. Answers how many changes that were.
 */
export const forgetChanges = (db: Knex, { before, limit }: Forget): Promise<number> =>
  db.transaction(async (trx) => {
    const { rows } = await trx.raw(
      `WITH oldest AS (SELECT position, detected_at FROM changes ORDER BY position LIMIT ?)
       SELECT coalesce(min(position) FILTER (WHERE detected_at >= ?), max(position) + 1) AS kept_from FROM oldest`,
      [limit, new Date(before)],
    );
    const keptFrom: string | null = rows[0].kept_from;
    const forgotten = keptFrom === null ? 0 : await trx('changes').where('position', '<', keptFrom).delete();
    if (forgotten > 0) await trx('log_heads').where({ stream: 'changes' }).update({ kept_from: keptFrom });
    return forgotten;
  });

/** Forgets deliveries with their attempts. Answers how many. */
export async function forgetDeliveries(db: Knex, { before, limit }: Forget): Promise<number> {
  const old = db('deliveries').select('id').where('created_at', '<', new Date(before)).orderBy('created_at').limit(limit);
  return db('deliveries').whereIn('id', old).delete();
}

/** Forgets companies that no monitor watches any more, as when a customer was erased. */
export const forgetUnwatched = (db: Knex): Promise<void> =>
  db.transaction(async (trx) => {
    await takeTurn(trx);
    await trx.raw(
      `WITH alone AS MATERIALIZED (
         SELECT country, tax_id FROM watched_companies w WHERE NOT EXISTS (
           SELECT FROM monitor_companies c JOIN monitors m ON m.id = c.monitor_id
           WHERE c.country = w.country AND c.tax_id = w.tax_id AND m.cancelled_at IS NULL)
         FOR UPDATE SKIP LOCKED)
       DELETE FROM watched_companies w USING alone WHERE w.country = alone.country AND w.tax_id = alone.tax_id`,
    );
  });
