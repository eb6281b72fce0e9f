import type { Knex } from 'knex';
import type { Role } from '../../domain/roles.ts';
import { KEY_COLUMNS, type SecretRow } from './key-secrets.ts';

/** A session as it is stored. Times are epoch ms. */
export interface NewPersonSession {
  readonly id: string;
  /** Keyed hash of the token. */
  readonly hash: Buffer;
  readonly keyId: string;
  readonly issuer: string;
  /** Keyed hash of the issuer and of its identifier of the person. */
  readonly personId: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  readonly createdAt: number;
  readonly endsAt: number;
}

/** Returns true for a key that exists and is neither revoked nor expired at a time, epoch ms. */
export async function isKeyValid(trx: Knex, keyId: string, at: number): Promise<boolean> {
  const row = await trx('api_keys')
    .where({ id: keyId, revoked_at: null })
    .whereRaw('(expires_at IS NULL OR expires_at > ?)', [new Date(at)])
    .first('id');
  return row !== undefined;
}

/** Stores a session. Of the sessions of the person it keeps the newest `max`. */
export async function insertPersonSession(trx: Knex, session: NewPersonSession, max: number): Promise<void> {
  const { id, hash, keyId, issuer, personId, name, email, role, createdAt, endsAt } = session;
  const at = new Date(createdAt);
  await trx('person_sessions').insert({
    id,
    hash,
    key_id: keyId,
    issuer,
    person_id: personId,
    name,
    email,
    role,
    created_at: at,
    last_used_at: at,
    ends_at: new Date(endsAt),
  });
  await trx.raw(
    `DELETE FROM person_sessions WHERE id IN (
       SELECT id FROM person_sessions WHERE person_id = ? ORDER BY created_at DESC, id OFFSET ?)`,
    [personId, max],
  );
}

/** Reads the sessions of hashes, of one issuer and one key, with the key and its account, by one statement. */
export async function findPersonSessions(
  db: Knex,
  hashes: readonly Buffer[],
  { issuer, keyId }: { readonly issuer: string; readonly keyId: string },
): Promise<readonly PersonSessionRow[]> {
  const { rows } = await db.raw(
    `SELECT p.hash, p.id AS session_id, p.person_id, p.name AS person_name, p.email, p.role AS person_role, p.last_used_at,
       p.ends_at AS secret_expires_at, ${KEY_COLUMNS}
     FROM person_sessions p JOIN api_keys k ON k.id = p.key_id JOIN accounts a ON a.id = k.account_id
     WHERE p.hash = ANY (?::bytea[]) AND p.issuer = ? AND p.key_id = ?`,
    [hashes as unknown as Knex.Value, issuer, keyId],
  );
  return rows;
}

/** Stores the time of the last use, epoch ms. It never decreases. */
export async function touchPersonSession(db: Knex, id: string, at: number): Promise<void> {
  await db('person_sessions')
    .where({ id })
    .where('last_used_at', '<', new Date(at))
    .update({ last_used_at: new Date(at) });
}

/** Deletes a session. @returns its person and key; undefined for an unknown one */
export async function deletePersonSession(trx: Knex, hash: Buffer): Promise<EndedSession | undefined> {
  const [row] = await trx('person_sessions').where({ hash }).delete(['id', 'person_id', 'key_id']);
  return row && { id: row.id, personId: row.person_id, keyId: row.key_id };
}

/** The sessions that an operator means. `id` is the beginning of the id of a session or of a person; `email` has any letter case. */
export type SessionChoice = { readonly id: string } | { readonly email: string } | 'all';

/** Selects sessions whose time has not ended. */
function chosen(db: Knex, choice: SessionChoice, at: number): Knex.QueryBuilder {
  const open = db('person_sessions').where('ends_at', '>', new Date(at));
  if (choice === 'all') return open;
  if ('email' in choice) return open.whereRaw('lower(email) = lower(?)', [choice.email]);
  const { id } = choice;
  return open.where((either) => either.whereRaw('starts_with(id::text, ?)', [id]).orWhereRaw('starts_with(person_id, ?)', [id]));
}

/** Reads the sessions whose time has not ended, newest first, `limit` at most. */
export async function listPersonSessions(
  db: Knex,
  choice: SessionChoice,
  { at, limit }: { readonly at: number; readonly limit: number },
): Promise<readonly ListedSession[]> {
  const rows = await chosen(db, choice, at)
    .orderBy([{ column: 'created_at', order: 'desc' }, { column: 'id' }])
    .limit(limit);
  return rows.map(toListed);
}

/** Deletes the sessions of a choice and returns them. */
export async function deleteChosenSessions(trx: Knex, choice: SessionChoice, at: number): Promise<readonly ListedSession[]> {
  const rows = await chosen(trx, choice, at).delete('*');
  return rows.map(toListed);
}

/** A session as operators see it. Times are epoch ms. */
export type ListedSession = Omit<NewPersonSession, 'hash' | 'issuer'> & { readonly lastUsedAt: number };

const toListed = (row: ListedRow): ListedSession => ({
  id: row.id,
  keyId: row.key_id,
  personId: row.person_id,
  name: row.name,
  email: row.email,
  role: row.role,
  createdAt: row.created_at.getTime(),
  lastUsedAt: row.last_used_at.getTime(),
  endsAt: row.ends_at.getTime(),
});

interface ListedRow extends Pick<PersonSessionRow, 'person_id' | 'email' | 'last_used_at'> {
  readonly id: string;
  readonly key_id: string;
  readonly name: string;
  readonly role: Role;
  readonly created_at: Date;
  readonly ends_at: Date;
}

/** Deletes the sessions that ended before `before`, epoch ms. */
export async function deleteEndedSessions(db: Knex, before: number): Promise<void> {
  await db('person_sessions').where('ends_at', '<', new Date(before)).delete();
}

interface EndedSession {
  readonly id: string;
  readonly personId: string;
  readonly keyId: string;
}

/** A session, as the secret of its key. `secret_expires_at` is its end. */
export interface PersonSessionRow extends SecretRow {
  readonly session_id: string;
  readonly person_id: string;
  readonly person_name: string;
  readonly email: string | null;
  readonly person_role: Role;
  readonly last_used_at: Date;
}
