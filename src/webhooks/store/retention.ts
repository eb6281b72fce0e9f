import type { Knex } from 'knex';
import type { PurgeBatch } from '../../db/batches.ts';

/** Deletes settled deliveries with their attempts; others are still to be sent. @returns number of deleted deliveries */
export async function purgeDeliveries(db: Knex, { before, limit }: PurgeBatch): Promise<number> {
  const old = db('deliveries').select('id').where('created_at', '<', new Date(before)).whereNotNull('settled_at');
  return db('deliveries').whereIn('id', old.orderBy('created_at').limit(limit)).delete();
}

/** Deletes the slots of hosts that no endpoint has any more. */
export async function deleteUnusedSlots(db: Knex, hosts: readonly string[]): Promise<void> {
  await db.raw(
    'DELETE FROM webhook_host_slots s WHERE host = ANY (?) AND NOT EXISTS (SELECT FROM endpoint_partitions p WHERE p.host = s.host)',
    [[...hosts]],
  );
}
