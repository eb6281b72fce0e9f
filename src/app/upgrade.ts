import type { Knex } from 'knex';
import { unknownMigrations } from '../db/migrations.ts';
import { isKeySecretOf } from '../db/secret-fingerprint.ts';

/** What does not fit between this version, its settings and its database. Each is a sentence for the operator, or null. */
export interface Misfit {
  /** A newer version has migrated the database. */
  readonly schema: string | null;
  /** The keys and sealed values were made with another secret. */
  readonly secret: string | null;
}

/** Compares the database with this version and its secret. The first call with a database stores the fingerprint of the secret. */
export async function misfitOf(db: Knex, keySecret: string): Promise<Misfit> {
  const [unknown, isOwnSecret] = await Promise.all([unknownMigrations(db), isKeySecretOf(db, keySecret)]);
  return { schema: unknown.length > 0 ? schemaSentence(unknown) : null, secret: isOwnSecret ? null : OTHER_SECRET };
}

export const schemaSentence = ([first, ...others]: readonly string[]): string =>
  `The database has migrations that this version does not know (${first}${others.length > 0 ? ` and ${others.length} more` : ''}): start the newer version, restore the backup from before the upgrade, or, to go back by one version, set QUIPU_NEWER_SCHEMA=accept.`;

export const OTHER_SECRET =
  'The API keys and webhook secrets in this database were made with another key secret, so that they do not work: restore QUIPU_KEY_SECRET or QUIPU_DATA_DIR/key.secret, or create new keys and rotate the secrets of webhooks (docs/operations.md#another-key-secret).';
