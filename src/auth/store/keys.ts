import type { Knex } from 'knex';
import { MODULES, type ModuleName } from '../../domain/catalogue.ts';
import type { Role } from '../../domain/roles.ts';

/** A secret of a key, without its text. Times are epoch ms. */
export interface SecretRecord {
  /** Last four characters. */
  readonly lastFour: string;
  readonly createdAt: number;
  /** End of the overlap with its successor; null for the current secret. */
  readonly expiresAt: number | null;
}

/** An API key without its secrets' text. Times are epoch ms. */
export interface KeyRecord {
  readonly id: string;
  readonly accountId: string;
  /** Name of its account. */
  readonly account: string;
  readonly name: string;
  readonly note: string | null;
  /** Last four characters of the newest secret, so that people can distinguish keys. */
  readonly lastFour: string;
  readonly modules: readonly ModuleName[];
  /** Role, which states the changes that the key may make. */
  readonly role: Role;
  readonly plan: string;
  /** True when the key may run trusted GraphQL documents only. */
  readonly trustedOnly: boolean;
  /** True when a consolidated check that no source answered is an error. */
  readonly failsIncomplete: boolean;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Start of the minute of the last use; null for an unused key. */
  readonly lastUsedAt: number | null;
  /** Secrets, newest first, including ended ones. */
  readonly secrets: readonly SecretRecord[];
}

/** The editable fields of a key. `expiresAt` is epoch ms, null for never; a `note` of null removes it. */
export interface KeyTerms {
  readonly name?: string;
  readonly modules?: readonly ModuleName[];
  readonly role?: Role;
  readonly expiresAt?: number | null;
  /** Note that only operators see. */
  readonly note?: string | null;
  /** Name of the plan. */
  readonly plan?: string;
  /** If true, the key runs trusted GraphQL documents only. */
  readonly trustedOnly?: boolean;
  /** If true, a consolidated check that no source answered is an error. */
  readonly failsIncomplete?: boolean;
}

/** Selects keys. */
export interface KeyFilter {
  /** The beginning of an id, in lower case. */
  readonly idPrefix?: string;
  readonly accountId?: string;
  /** Keyed hash of a secret. */
  readonly secretHash?: Buffer;
}

/** Reads the keys that match the whole filter, oldest first, including revoked and expired ones. */
export async function readKeys(db: Knex, { idPrefix, accountId, secretHash }: KeyFilter = {}): Promise<KeyRecord[]> {
  const conditions: readonly (readonly [string, Knex.Value | undefined])[] = [
    ['k.id::text LIKE ?', idPrefix === undefined ? undefined : `${idPrefix}%`],
    ['k.account_id = ?', accountId],
    ['k.id = (SELECT key_id FROM api_key_secrets WHERE hash = ?)', secretHash],
  ];
  const given = conditions.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]));
  const where = ['true', ...given.map(({ condition }) => condition)].join(' AND ');
  const { rows } = await db.raw(
    `${SELECT} WHERE ${where} ORDER BY k.created_at, k.id`,
    given.map(({ value }) => value),
  );
  return rows.map(toRecord);
}

/** Columns of `api_keys`. */
export type KeyColumns = Readonly<Record<string, unknown>>;

/** Converts terms to columns, given fields only. */
export const termColumns = ({ name, modules, role, expiresAt, note, plan, trustedOnly, failsIncomplete }: KeyTerms): KeyColumns => ({
  ...(name !== undefined && { name }),
  ...(modules && { modules: [...modules] }),
  ...(role && { role }),
  ...(expiresAt !== undefined && { expires_at: expiresAt === null ? null : new Date(expiresAt) }),
  ...(note !== undefined && { note }),
  ...(plan !== undefined && { plan }),
  ...(trustedOnly !== undefined && { trusted_only: trustedOnly }),
  ...(failsIncomplete !== undefined && { fails_incomplete: failsIncomplete }),
});

export async function insertKey(trx: Knex, id: string, accountId: string, terms: KeyTerms, createdAt: number): Promise<void> {
  await trx('api_keys').insert({ id, account_id: accountId, created_at: new Date(createdAt), ...termColumns(terms) });
}

export async function updateKey(trx: Knex, id: string, columns: KeyColumns): Promise<void> {
  await trx('api_keys').where({ id }).update(columns);
}

/** Locks a key until the end of the transaction. */
export async function lockKey(trx: Knex, id: string): Promise<void> {
  await trx('api_keys').where({ id }).forUpdate();
}

/** Gives a key every module of this release. @returns false when it has exactly these */
export async function grantAllModules(trx: Knex, id: string): Promise<boolean> {
  const changed = await trx('api_keys')
    .where({ id })
    .whereRaw('modules <> ?', [[...MODULES]])
    .update({ modules: [...MODULES] });
  return changed > 0;
}

/** Stores the minutes, epoch ms, in which keys were last used. The stored minute never decreases. */
export async function writeLastUse(db: Knex, minutes: ReadonlyMap<string, number>): Promise<void> {
  await db.raw(WRITE_LAST_USE, [[...minutes.keys()], [...minutes.values()].map((minute) => new Date(minute))]);
}

/** SQL: locks rows in the order of their ids, so that two processes that write the same keys cannot deadlock. */
const WRITE_LAST_USE = `
  WITH used AS (
    SELECT k.id, u.minute FROM unnest(?::uuid[], ?::timestamptz[]) AS u (id, minute) JOIN api_keys k ON k.id = u.id
    WHERE k.last_used_at IS NULL OR k.last_used_at < u.minute ORDER BY k.id FOR NO KEY UPDATE OF k
  )
  UPDATE api_keys k SET last_used_at = used.minute FROM used WHERE k.id = used.id`;

/** Returns the modules that this release has. Names stored by a newer release are ignored. */
export const knownModules = (names: readonly string[]): readonly ModuleName[] => MODULES.filter((module) => names.includes(module));

const SELECT = `
  SELECT k.*, a.name AS account,
    (SELECT json_agg(s ORDER BY s.created_at DESC, s.expires_at DESC NULLS FIRST)
     FROM (SELECT last_four, created_at, expires_at FROM api_key_secrets WHERE key_id = k.id) AS s) AS secrets
  FROM api_keys k JOIN accounts a ON a.id = k.account_id`;

interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly account: string;
  readonly name: string;
  readonly note: string | null;
  readonly modules: readonly string[];
  readonly role: Role;
  readonly plan: string;
  readonly trusted_only: boolean;
  readonly fails_incomplete: boolean;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  /** Times in ISO 8601; null for a key without secrets. */
  readonly secrets: readonly { readonly last_four: string; readonly created_at: string; readonly expires_at: string | null }[] | null;
}

function toRecord(row: Row): KeyRecord {
  const secrets = (row.secrets ?? []).map(({ last_four, created_at, expires_at }) => ({
    lastFour: last_four,
    createdAt: Date.parse(created_at),
    expiresAt: expires_at === null ? null : Date.parse(expires_at),
  }));
  return {
    id: row.id,
    accountId: row.account_id,
    account: row.account,
    name: row.name,
    note: row.note,
    lastFour: secrets[0]?.lastFour ?? '',
    modules: knownModules(row.modules),
    role: row.role,
    plan: row.plan,
    trustedOnly: row.trusted_only,
    failsIncomplete: row.fails_incomplete,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at?.getTime() ?? null,
    revokedAt: row.revoked_at?.getTime() ?? null,
    lastUsedAt: row.last_used_at?.getTime() ?? null,
    secrets,
  };
}
