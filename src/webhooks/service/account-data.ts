import { type AccountData, OF_KEYS } from '../../auth/accounts/erasure.ts';
import { deleteEndpoints, lockForDeletion } from '../store/endpoints.ts';
import { deleteUnusedSlots } from '../store/retention.ts';

/** Endpoints and deliveries of an account, for its export and erasure. */
export const webhookAccountData: AccountData = {
  tables: [
    { table: 'webhook_endpoints', where: OF_KEYS, hidden: ['secret', 'old_secret', 'earlier_secrets'] },
    { table: 'deliveries', where: OF_KEYS, hidden: ['claim', 'revised_by'] },
    { table: 'delivery_attempts', where: `delivery_id IN (SELECT id FROM deliveries WHERE ${OF_KEYS})` },
  ],

  /** Returns no ids, because endpoints have the ids of their owners, which the modules return. */
  async erase(trx, { keyIds }) {
    const endpoints: readonly string[] = await trx('webhook_endpoints').whereIn('key_id', keyIds).pluck('id');
    await lockForDeletion(trx, endpoints);
    // includes the hosts of earlier URLs
    const hosts: string[] = await trx('deliveries').whereIn('key_id', keyIds).distinct().pluck('host');
    await trx('deliveries').whereIn('key_id', keyIds).delete();
    await deleteEndpoints(trx, endpoints);
    await deleteUnusedSlots(trx, hosts);
    return [];
  },
};
