import { type AccountData, OF_KEYS } from '../../../auth/accounts/erasure.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { deleteUnusedSlots, purgeUnwatchedCompanies } from '../store/retention.ts';

/** Monitors, changes and deliveries of an account, for its export and erasure. */
export const monitorAccountData: AccountData = {
  tables: [
    { table: 'monitors', where: OF_KEYS, hidden: ['secret', 'old_secret'] },
    { table: 'monitor_companies', where: `monitor_id IN (SELECT id FROM monitors WHERE ${OF_KEYS})` },
    { table: 'changes', where: OF_KEYS },
    { table: 'deliveries', where: OF_KEYS, hidden: ['claim', 'revised_by'] },
    { table: 'delivery_attempts', where: `delivery_id IN (SELECT id FROM deliveries WHERE ${OF_KEYS})` },
  ],

  async erase(trx, { keyIds }) {
    const monitors: readonly string[] = await trx('monitors').whereIn('key_id', keyIds).pluck('id');
    const hosts: string[] = await trx('deliveries').whereIn('key_id', keyIds).distinct().pluck('host');
    for (const table of ['monitors', 'changes', 'deliveries']) await trx(table).whereIn('key_id', keyIds).delete();
    await trx('endpoint_partitions').whereIn('monitor_id', monitors).delete();
    await deleteUnusedSlots(trx, hosts);
    return monitors.map((id) => toPublicId('monitor', id));
  },

  afterErasure: purgeUnwatchedCompanies,
};
