import type { Knex } from 'knex';

/** An index is built concurrently outside a transaction only. */
export const config = { transaction: false };

/** The receipts of a company are found without reading the whole chain of the account. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX IF EXISTS evidence_receipts_of_company'); // what an interrupted run left
  await knex.raw(`
    CREATE INDEX CONCURRENTLY evidence_receipts_of_company ON evidence_receipts
      (account_id, (sealed::jsonb #>> '{receipt,company,country}'), (sealed::jsonb #>> '{receipt,company,identifier}'), sequence)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX evidence_receipts_of_company');
}
