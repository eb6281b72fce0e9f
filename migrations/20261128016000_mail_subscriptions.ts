import type { Knex } from 'knex';

/** People who receive an e-mail about the changes of the watched companies of an account, once a day. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE mail_subscriptions (
      id uuid PRIMARY KEY,
      account_id uuid NOT NULL REFERENCES accounts,
      key_id uuid NOT NULL REFERENCES api_keys,
      email text NOT NULL,
      language text NOT NULL CHECK (language IN ('en', 'es', 'pt')),
      time_zone text NOT NULL,
      hour smallint NOT NULL CHECK (hour BETWEEN 0 AND 23),
      every_day boolean NOT NULL,
      created_at timestamptz NOT NULL,
      invited_at timestamptz NOT NULL,
      confirmed_at timestamptz,
      due_at timestamptz,
      position bigint NOT NULL DEFAULT 0,
      upto bigint,
      day date,
      last_day date,
      last_sent_at timestamptz,
      last_error text,
      UNIQUE (account_id, email)
    );
    CREATE INDEX mail_subscriptions_due ON mail_subscriptions (due_at);
    CREATE INDEX mail_subscriptions_of_key ON mail_subscriptions (key_id);
    COMMENT ON COLUMN mail_subscriptions.key_id IS 'the API key that saved it last; nothing is sent while that key is not valid';
    COMMENT ON COLUMN mail_subscriptions.time_zone IS 'name of the IANA time zone database';
    COMMENT ON COLUMN mail_subscriptions.hour IS 'local hour from which the mail is sent';
    COMMENT ON COLUMN mail_subscriptions.every_day IS 'true: a mail is sent also if nothing has changed';
    COMMENT ON COLUMN mail_subscriptions.invited_at IS 'when the last mail with the link that confirms the address was enqueued';
    COMMENT ON COLUMN mail_subscriptions.confirmed_at IS 'null: the person has not confirmed the address, and nothing else is sent';
    COMMENT ON COLUMN mail_subscriptions.due_at IS 'when the next mail is enqueued; null before the confirmation';
    COMMENT ON COLUMN mail_subscriptions.position IS 'changes up to this position of the change log are in earlier mails';
    COMMENT ON COLUMN mail_subscriptions.day IS 'local day of the mail that is being sent, or was sent last; a repetition has the same changes';
    COMMENT ON COLUMN mail_subscriptions.upto IS 'position up to which that mail has the changes';
    COMMENT ON COLUMN mail_subscriptions.last_day IS 'local day of the last mail that was sent, or was not necessary';
    COMMENT ON COLUMN mail_subscriptions.last_error IS 'codes of the failure of the last attempt; null after a success';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE mail_subscriptions');
}
