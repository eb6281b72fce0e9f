import { AsyncLocalStorage } from 'node:async_hooks';
import type { Knex } from 'knex';
import { isOutOfTime } from '../domain/errors.ts';
import { inTransaction } from './transaction.ts';

const lifetimes = new AsyncLocalStorage<AbortSignal>();
/** Signals of requests that have committed a change, or are committing one. */
const changed = new WeakSet<AbortSignal>();

/** Runs the work for a request. Its changes are bound to the deadline of the signal. */
export const withinLifetime = <T>(signal: AbortSignal, work: () => T): T => lifetimes.run(signal, work);

/** Returns true once a request has begun to commit a change. Its answer then states the change, even after its deadline. */
export const hasChanged = (signal: AbortSignal): boolean => changed.has(signal);

/**
 * Makes a change for a request, in one transaction, which is repeated after a deadlock. A request that runs out of time before the commit
 * changes nothing, so that DEADLINE_EXCEEDED is true.
 * @param work changes nothing outside of the transaction @throws AppError DEADLINE_EXCEEDED, or the failure of `work`
 */
export function changeInTime<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  const signal = lifetimes.getStore();
  return inTransaction(db, async (trx) => {
    const result = await work(trx);
    if (signal && isOutOfTime(signal)) throw signal.reason;
    if (signal) changed.add(signal);
    return result;
  });
}
