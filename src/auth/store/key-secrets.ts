import type { Knex } from 'knex';
import type { AccountListColumns } from '../../db/account-lists.ts';
import type { Role } from '../../domain/roles.ts';

/** A secret as it is stored. Times are epoch ms. */
export interface NewSecret {
  readonly hash: Buffer;
  readonly keyId: string;
  /** Last four characters of the text. */
  readonly lastFour: string;
  readonly createdAt: number;
  /** Null for no end. */
  readonly expiresAt: number | null;
}

export async function insertSecret(trx: Knex, { hash, keyId, lastFour, createdAt, expiresAt }: NewSecret): Promise<void> {
  await trx('api_key_secrets').insert({
    hash,
    key_id: keyId,
    last_four: lastFour,
    created_at: new Date(createdAt),
    expires_at: expiresAt === null ? null : new Date(expiresAt),
  });
}

export async function deleteSecret(db: Knex, hash: Buffer): Promise<void> {
  await db('api_key_secrets').where({ hash }).delete();
}

/** Removes the end of a secret. */
export async function keepSecret(db: Knex, hash: Buffer): Promise<void> {
  await db('api_key_secrets').where({ hash }).update({ expires_at: null });
}

/** Removes the end of a secret, and ends the other secrets of its key at `end`, epoch ms, or before. */
export async function keepOnlySecret(trx: Knex, keyId: string, hash: Buffer, end: number): Promise<void> {
  await trx.raw('UPDATE api_key_secrets SET expires_at = CASE WHEN hash <> ? THEN LEAST(expires_at, ?::timestamptz) END WHERE key_id = ?', [
    hash,
    new Date(end),
    keyId,
  ]);
}

/** Returns the id of the key that a secret belongs to; undefined for an unknown secret. */
export async function keyOfSecret(trx: Knex, hash: Buffer): Promise<string | undefined> {
  const row = await trx('api_key_secrets').where({ hash }).first('key_id');
  return row?.key_id;
}

/** Reads a secret with its key. */
export async function findSecret(db: Knex, hash: Buffer): Promise<SecretRow | undefined> {
  const { rows } = await db.raw(`SELECT ${COLUMNS} WHERE s.hash = ?`, [hash]);
  return rows[0];
}

/** Reads secrets with their keys by one statement. */
export async function findSecrets(db: Knex, hashes: readonly Buffer[]): Promise<readonly SecretRow[]> {
  const { rows } = await db.raw(`SELECT ${COLUMNS} WHERE s.hash = ANY (?::bytea[])`, [hashes as unknown as Knex.Value]);
  return rows;
}

/** Columns of a key and its account that a caller needs. */
export const KEY_COLUMNS =
  'k.id, k.name, k.modules, k.role, k.account_id, k.plan, k.trusted_only, k.fails_incomplete, k.revoked_at, k.expires_at, a.lists, a.verdict_lists, a.needs_approval';

const COLUMNS = `s.hash, s.expires_at AS secret_expires_at, ${KEY_COLUMNS}
  FROM api_key_secrets s JOIN api_keys k ON k.id = s.key_id JOIN accounts a ON a.id = k.account_id`;

/** A secret and the columns of its key that a caller needs. */
export interface SecretRow extends AccountListColumns {
  readonly hash: Buffer;
  readonly id: string;
  readonly name: string;
  readonly modules: readonly string[];
  readonly role: Role;
  readonly account_id: string;
  readonly needs_approval: boolean;
  readonly plan: string;
  readonly trusted_only: boolean;
  readonly fails_incomplete: boolean;
  readonly revoked_at: Date | null;
  readonly expires_at: Date | null;
  readonly secret_expires_at: Date | null;
}
