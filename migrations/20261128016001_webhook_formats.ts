import type { Knex } from 'knex';

/** The format and the language of the messages to a webhook endpoint. A process of the release before sends the standard format. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE webhook_endpoints
      ADD COLUMN format text NOT NULL DEFAULT 'standard' CHECK (format IN ('standard', 'slack', 'teams')),
      ADD COLUMN language text NOT NULL DEFAULT 'en' CHECK (language IN ('en', 'es', 'pt'));
    COMMENT ON COLUMN webhook_endpoints.format IS 'standard: the body of the module; slack, teams: a message that people read in a chat';
    COMMENT ON COLUMN webhook_endpoints.language IS 'of messages that people read';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE webhook_endpoints DROP COLUMN format, DROP COLUMN language');
}
