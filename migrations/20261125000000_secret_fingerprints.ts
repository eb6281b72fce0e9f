import type { Knex } from 'knex';

/** Tells a start that the keys in the database were made with another secret than its own. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE secret_fingerprints (
      purpose text PRIMARY KEY,
      fingerprint bytea NOT NULL
    );
    COMMENT ON COLUMN secret_fingerprints.fingerprint IS 'HMAC-SHA256 of a constant under the secret';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE secret_fingerprints');
}
