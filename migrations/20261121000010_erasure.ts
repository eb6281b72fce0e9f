import type { Knex } from 'knex';

/** All that is left of customers who were erased: what invoices were made from. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE erased_usage (
      account_id uuid NOT NULL,
      module text NOT NULL,
      month date NOT NULL,
      used bigint NOT NULL,
      PRIMARY KEY (account_id, module, month)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE erased_usage');
}
