import { type AccountData, OF_KEYS } from '../../../auth/accounts/erasure.ts';
import { toPublicId } from '../../../domain/public-ids.ts';

const OF_SCREENINGS = `screening_id IN (SELECT id FROM screenings WHERE ${OF_KEYS})`;

/** Screenings of an account with their companies, for its export and erasure. */
export const screeningAccountData: AccountData = {
  tables: [
    { table: 'screenings', where: OF_KEYS, hidden: ['lease', 'webhook_secret'] },
    { table: 'screening_companies', where: OF_SCREENINGS },
    { table: 'screening_rejects', where: OF_SCREENINGS },
  ],

  async erase(trx, { keyIds }) {
    const ids: readonly string[] = await trx('screenings').whereIn('key_id', keyIds).pluck('id');
    await trx('screenings').whereIn('key_id', keyIds).delete();
    return ids.map((id) => toPublicId('screening', id));
  },
};
