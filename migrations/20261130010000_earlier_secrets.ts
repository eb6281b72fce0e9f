import type { Knex } from 'knex';

/**
 * The replaced secrets of a webhook endpoint before the last one, of which each signs for its own day. A process of the release before signs
 * with the current secret and the last one, and keeps the others.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE webhook_endpoints ADD COLUMN earlier_secrets jsonb NOT NULL DEFAULT '[]';
    COMMENT ON COLUMN webhook_endpoints.earlier_secrets IS
      'replaced before old_secret, the newest first: {secret (sealed, in hex), until}; each signs too until its time';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE webhook_endpoints DROP COLUMN earlier_secrets');
}
