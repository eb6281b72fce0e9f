import type { Knex } from 'knex';

/**
 * Epochs of the change log: a database that was restored to an earlier moment gives out positions a second time. The first epoch has no
 * id, so the cursors that callers hold stay valid.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE log_heads ADD COLUMN epochs jsonb NOT NULL DEFAULT '[]';
    COMMENT ON COLUMN log_heads.epochs IS '[{id, after}] in their order: begun by a restore, when the last position was after; the first one is not named';
    ALTER TABLE changes ADD COLUMN epoch text;
    COMMENT ON COLUMN changes.epoch IS 'id of the epoch in which its position was given out; null for the first one';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE changes DROP COLUMN epoch; ALTER TABLE log_heads DROP COLUMN epochs');
}
