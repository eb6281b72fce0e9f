import type { Knex } from 'knex';

/** Distinguishes erased companies from unread ones, and counts the erasures, so that answers from before one are not served after it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE receita_unread ADD COLUMN suppressed boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN receita_unread.suppressed IS 'true for a company that an operator has erased, which no other source answers';
    ALTER TABLE receita_current ADD COLUMN erasures integer NOT NULL DEFAULT 0;
    COMMENT ON COLUMN receita_current.erasures IS 'number of erasures of people and companies; it is part of the version of cached answers';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE receita_current DROP COLUMN erasures;
    ALTER TABLE receita_unread DROP COLUMN suppressed;
  `);
}
