import type { Knex } from 'knex';
import type { RowLoader } from '../../../loaders/rows.ts';
import { findReceipts, pageReceipts } from '../store.ts';

/** Every question names the account that asks, so no answer is another's. */
const rowsOf = <Q extends { readonly accountId: string }, V>(
  name: string,
  rows: (db: Knex, requested: readonly Q[]) => Promise<readonly V[]>,
): RowLoader<Q, V> => ({
  name,
  module: 'compliance_br',
  key: (question) => JSON.stringify(question),
  rows: (requested, db) => rows(db, requested),
});

/** A receipt of the account; null for none. */
export const receiptLoader = rowsOf('receipt', findReceipts);
/** A page of the receipts of an account, in the order of its chain. */
export const receiptsLoader = rowsOf('receipts', pageReceipts);
