import type { Knex } from 'knex';

/** People and companies of the Brazilian registry that an operator has erased from the own copy. Each import leaves them out. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE receita_suppressions (
      hash text PRIMARY KEY,
      kind text NOT NULL CHECK (kind IN ('person', 'company')),
      note text,
      created_at timestamptz NOT NULL
    );
    COMMENT ON COLUMN receita_suppressions.hash IS 'keyed hash of the name and the masked CPF of a person, or of the root of a CNPJ, hex';
    COMMENT ON COLUMN receita_suppressions.note IS 'a reference of the operator, such as the number of the request; no name';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE receita_suppressions');
}
