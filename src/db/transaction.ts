import type { Knex } from 'knex';

/** SQLSTATE of a transaction that Postgres ended because it and another one waited for locks of each other. */
const DEADLOCK = '40P01';
const MAX_ATTEMPTS = 5;

/**
 * Runs work in a transaction, and runs it again when Postgres ended it to resolve a deadlock. The other transaction goes on then, so the
 * next attempt waits for it.
 * @param work changes nothing outside of the transaction, because it may run several times
 * @throws the failure of `work`; that of the fifth deadlock
 */
export async function inTransaction<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(work);
    } catch (error) {
      if ((error as { readonly code?: unknown } | null)?.code !== DEADLOCK || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Locks an account until the transaction ends, so that a number of its rows that the transaction counts stays exact. */
export const lockAccount = (trx: Knex, accountId: string): Promise<unknown> =>
  trx.raw('SELECT FROM accounts WHERE id = ? FOR NO KEY UPDATE', [accountId]);
