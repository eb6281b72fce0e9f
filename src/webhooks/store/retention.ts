import type { Knex } from 'knex';
import type { PurgeBatch } from '../../db/batches.ts';
import { SLOTS_PER_HOST } from './delivery-queue.ts';

/**
 * Deletes settled deliveries with their attempts; others are still to be sent. The deletion checks this again, because a delivery may be
 * put into the queue again after the selection.
 * @returns number of deleted deliveries
 */
export async function purgeDeliveries(db: Knex, { before, limit }: PurgeBatch): Promise<number> {
  const settled = db('deliveries').select('id').where('created_at', '<', new Date(before)).whereNotNull('settled_at');
  const oldest = settled.orderBy('created_at').limit(limit);
  return db('deliveries').whereIn('id', oldest).whereNotNull('settled_at').delete();
}

/** Deletes the slots of hosts that no endpoint has any more. */
export async function deleteUnusedSlots(db: Knex, hosts: readonly string[]): Promise<void> {
  await db.raw(
    'DELETE FROM webhook_host_slots s WHERE host = ANY (?) AND NOT EXISTS (SELECT FROM endpoint_partitions p WHERE p.host = s.host)',
    [[...hosts]],
  );
}

/**
 * Adds the slots of hosts with due partitions and without slots. `deleteUnusedSlots` does not see a partition that another transaction is
 * adding, so a host can lose its slots while it gets its first delivery.
 */
export async function addMissingSlots(db: Knex, now: number): Promise<void> {
  await db.raw(
    `INSERT INTO webhook_host_slots (host, slot) SELECT DISTINCT p.host, slot FROM endpoint_partitions p, generate_series(0, ?) AS slot
     WHERE p.due_at <= ? AND NOT EXISTS (SELECT FROM webhook_host_slots s WHERE s.host = p.host) ORDER BY 1, 2 ON CONFLICT DO NOTHING`,
    [SLOTS_PER_HOST - 1, new Date(now)],
  );
}
