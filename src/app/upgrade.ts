import type { Knex } from 'knex';
import { unknownMigrations } from '../db/migrations.ts';
import { isKeySecretOf } from '../db/secret-fingerprint.ts';

/** A mismatch between this version, its settings and its database, and the advice for the operator. */
export interface Misfit {
  readonly found: string;
  readonly advice: string;
}

export interface Misfits {
  /** Mismatch if a newer version has migrated the database; else null. */
  readonly schema: Misfit | null;
  /** Mismatch if the keys and sealed values were made with another secret; else null. */
  readonly secret: Misfit | null;
}

/** Compares the database with this version. @param isOwnSecret true if its keys were made with the secret of this process */
export async function misfitsOf(db: Knex, isOwnSecret: boolean): Promise<Misfits> {
  const unknown = await unknownMigrations(db);
  return { schema: unknown.length > 0 ? newerSchema(unknown) : null, secret: isOwnSecret ? null : OTHER_SECRET };
}

/** Finds the misfits of `misfitsOf` at the start of a process. The first start with a database stores the fingerprint of the secret. */
export const misfitsAtStart = async (db: Knex, keySecret: string): Promise<Misfits> => misfitsOf(db, await isKeySecretOf(db, keySecret));

/** Returns the sentence for logs and `/readyz`. */
export const misfitSentence = ({ found, advice }: Misfit): string => `${found}: ${advice}`;

const newerSchema = ([first, ...others]: readonly string[]): Misfit => ({
  found: `The database has migrations that this version does not know (${first}${others.length > 0 ? ` and ${others.length} more` : ''})`,
  advice:
    'start the newer version, restore the backup from before the upgrade, or, to go back by one version, set QUIPU_NEWER_SCHEMA=accept.',
});

const OTHER_SECRET: Misfit = {
  found: 'The API keys and webhook secrets in this database were made with another key secret, so that they do not work',
  advice:
    'restore QUIPU_KEY_SECRET or QUIPU_DATA_DIR/key.secret, or create new keys and rotate the secrets of webhooks (docs/operations.md#another-key-secret).',
};
