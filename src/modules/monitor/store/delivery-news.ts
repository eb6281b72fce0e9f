import type { Knex } from 'knex';
import type { Delivery } from '../domain/delivery.ts';
import { toDelivery } from './delivery-log.ts';

const COLUMNS = ['id', 'monitor_id', 'key_id', 'change_id', 'event_id', 'state', 'created_at', 'settled_at', 'due_at', 'revision'];

/** What a delivery has come to, at the place of that news in the stream `deliveries`. */
export interface DeliveryNews extends Delivery {
  readonly position: number;
}

/** The latest news of each delivery that has any behind a position, oldest first, at most `limit`; of one key where `keyId` is given. */
export async function deliveriesAfter(
  db: Knex,
  after: number,
  { limit, keyId }: { readonly limit: number; readonly keyId?: string },
): Promise<readonly DeliveryNews[]> {
  const query = db('deliveries').select(COLUMNS).where('revision', '>', after).orderBy('revision').limit(limit);
  const rows = await (keyId === undefined ? query : query.where({ key_id: keyId }));
  return rows.map((row) => ({ ...toDelivery(row), position: Number(row.revision) }));
}
