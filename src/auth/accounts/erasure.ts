import type { Knex } from 'knex';
import { audit } from '../../audit/audit-log.ts';
import { createDb, directUrlOf } from '../../db/knex.ts';
import { AppError } from '../../domain/errors.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import { type AccountsDeps, findAccount } from './accounts.ts';

/** All stored data of an account: table → its rows as JSON, without hashes of keys and secrets of webhooks. */
export type AccountExport = Readonly<Record<string, readonly unknown[]>>;

/** Selects the rows of a table that belong to an account. */
export interface AccountTable {
  readonly table: string;
  /** SQL condition; `?` is the account's id. */
  readonly where: string;
  /** Columns that are not exported. */
  readonly hidden?: readonly string[];
}

/** Access to the data that a module stores about accounts. Modules declare it in `defineModule`; the CLI collects it. */
export interface AccountData {
  /** Tables of the data export. */
  readonly tables: readonly AccountTable[];
  /** Deletes the account's rows within the transaction. Returns the ids under which the audit log names the deleted objects. */
  erase(trx: Knex.Transaction, owner: { readonly accountId: string; readonly keyIds: readonly string[] }): Promise<readonly string[]>;
  /** Deletes rows that belong to no account any more, after the transaction. */
  afterErasure?(db: Knex): Promise<void>;
}

/** Time after the revocation of the last key after which no request is running in any process. */
const QUIET_MS = MINUTE_MS;

/** SQL condition on tables with a `key_id`. */
export const OF_KEYS = 'key_id IN (SELECT id FROM api_keys WHERE account_id = ?)';

const KEY_TABLES: readonly AccountTable[] = [
  { table: 'accounts', where: 'id = ?' },
  { table: 'api_keys', where: 'account_id = ?' },
  { table: 'api_key_secrets', where: OF_KEYS, hidden: ['hash'] },
  { table: 'person_sessions', where: OF_KEYS, hidden: ['hash'] },
];
const METERING_TABLES: readonly AccountTable[] = [
  { table: 'usage_events', where: OF_KEYS, hidden: ['question_hash'] },
  { table: 'usage_counters', where: OF_KEYS },
  { table: 'usage_days', where: OF_KEYS },
  { table: 'idempotency_keys', where: OF_KEYS, hidden: ['body', 'body_hash', 'attempt', 'claim'] },
  { table: 'idempotency_quotas', where: OF_KEYS },
];

/** Options of the transaction of an export, which sees all tables at one point in time. */
const SNAPSHOT = { isolationLevel: 'repeatable read', readOnly: true } as const;

/** @throws AppError INVALID_INPUT when `which` matches no account or several */
export async function exportAccount(db: Knex, which: string, modules: readonly AccountData[]): Promise<AccountExport> {
  const { id } = await findAccount(db, which);
  return longTransaction(
    db,
    async (trx) => {
      const data: Record<string, readonly unknown[]> = {};
      for (const { table, where, hidden = [] } of [...KEY_TABLES, ...modules.flatMap(({ tables }) => tables), ...METERING_TABLES]) {
        const { rows } = await trx.raw(`SELECT to_jsonb(t) - ?::text[] AS row FROM ?? t WHERE ${where}`, [[...hidden], table, id]);
        data[table] = rows.map(({ row }: { row: unknown }) => row);
      }
      return data;
    },
    SNAPSHOT,
  );
}

/**
 * Deletes an account with its keys, usage, stored responses, the data of modules and its audit log entries, in one transaction. Its
 * monthly totals and one audit log entry about the erasure are kept.
 * @throws AppError INVALID_INPUT when `which` matches no account or several, or a key of it was not revoked more than a minute ago
 */
export async function eraseAccount(
  { db, now, actor }: AccountsDeps,
  which: string,
  modules: readonly AccountData[],
): Promise<{ readonly id: string; readonly name: string }> {
  const account = await findAccount(db, which);
  const { id } = account;
  await longTransaction(db, async (trx) => {
    await trx('accounts').where({ id }).forUpdate();
    await requireRevokedKeys(trx, id, now() - QUIET_MS);
    const keyIds: string[] = await trx('api_keys').where({ account_id: id }).pluck('id');
    await trx.raw(
      `INSERT INTO erased_usage SELECT ?, module, month, sum(used) FROM usage_counters WHERE key_id = ANY(?) GROUP BY module, month`,
      [id, keyIds],
    );
    const subjects = [id, ...keyIds];
    for (const module of modules) subjects.push(...(await module.erase(trx, { accountId: id, keyIds })));
    for (const { table } of METERING_TABLES) await trx(table).whereIn('key_id', keyIds).delete();
    subjects.push(...(await trx('person_sessions').whereIn('key_id', keyIds).pluck('id')));
    await trx('audit_log')
      .whereIn('subject', subjects)
      .orWhereRaw('actor LIKE ANY (?)', [keyIds.map((key) => `key ${key}%`)])
      .orWhereRaw("(actor LIKE 'person %' OR action = 'person.session_ended') AND facts ->> 'key' = ANY (?)", [keyIds])
      .delete();
    await trx('api_keys').where({ account_id: id }).delete();
    await trx('accounts').where({ id }).delete();
    await audit(trx, { at: now(), actor, action: 'account.erased', subject: id });
  });
  for (const module of modules) await module.afterErasure?.(db);
  return account;
}

async function requireRevokedKeys(trx: Knex, accountId: string, before: number): Promise<void> {
  const usable = await trx('api_keys')
    .where({ account_id: accountId })
    .whereRaw('revoked_at IS NULL OR revoked_at > ?', [new Date(before)])
    .first('id');
  if (usable)
    throw new AppError(
      'INVALID_INPUT',
      `Key ${usable.id} is not revoked, or was revoked less than a minute ago: revoke every key of the account first.`,
    );
}

/** Runs one transaction over a separate connection, without a statement timeout. */
async function longTransaction<T>(
  db: Knex,
  work: (trx: Knex.Transaction) => Promise<T>,
  settings: Knex.TransactionConfig = {},
): Promise<T> {
  const own = createDb(directUrlOf(db), { poolMax: 1, statementTimeoutMs: 0 });
  try {
    return await own.transaction(work, settings);
  } finally {
    await own.destroy();
  }
}
