import type { Knex } from 'knex';

/** A version that an operator has rolled back, so that the next sync does not load it again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE registries ADD COLUMN passed_checksum text;
    COMMENT ON COLUMN registries.passed_checksum IS 'checksum of a version that was rolled back, which a sync does not load; null for none';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE registries DROP COLUMN passed_checksum');
}
