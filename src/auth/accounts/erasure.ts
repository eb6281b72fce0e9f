import type { Knex } from 'knex';
import { audit } from '../../audit/audit-log.ts';
import { createDb, urlOf } from '../../db/knex.ts';
import { AppError } from '../../domain/errors.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import { toPublicId } from '../../modules/monitor/domain/ids.ts';
import { forgetUnwatched } from '../../modules/monitor/store/retention.ts';
import { type AccountsDeps, findAccount } from './accounts.ts';

/** What is kept of a customer: table → its rows, as JSON. Hashes of keys and secrets of webhooks are left out. */
export type AccountData = Readonly<Record<string, readonly unknown[]>>;

/** Requests under way when a key was revoked, on any process, are over by then. */
const QUIET_MS = MINUTE_MS;

/** Of each table: which rows are the account's, and what of them is nobody's to see. `?` is the account, and its keys. */
const KEYS = 'key_id IN (SELECT id FROM api_keys WHERE account_id = ?)';
const TABLES: readonly { readonly table: string; readonly own: string; readonly hidden?: readonly string[] }[] = [
  { table: 'accounts', own: 'id = ?' },
  { table: 'api_keys', own: 'account_id = ?' },
  { table: 'api_key_secrets', own: KEYS, hidden: ['hash'] },
  { table: 'monitors', own: KEYS, hidden: ['secret', 'old_secret'] },
  { table: 'monitor_companies', own: `monitor_id IN (SELECT id FROM monitors WHERE ${KEYS})` },
  { table: 'changes', own: KEYS },
  { table: 'deliveries', own: KEYS, hidden: ['claim'] },
  { table: 'delivery_attempts', own: `delivery_id IN (SELECT id FROM deliveries WHERE ${KEYS})` },
  { table: 'usage_events', own: KEYS, hidden: ['question_hash'] },
  { table: 'usage_counters', own: KEYS },
  { table: 'idempotency_keys', own: KEYS, hidden: ['body', 'body_hash', 'attempt', 'claim'] },
];

/** All tables are seen as they are at one moment. */
const ONE_MOMENT = { isolationLevel: 'repeatable read', readOnly: true } as const;

/** @throws AppError INVALID_INPUT when `which` names no account, or several */
export async function exportAccount(db: Knex, which: string): Promise<AccountData> {
  const { id } = await findAccount(db, which);
  return atLeisure(
    db,
    async (trx) => {
      const data: Record<string, readonly unknown[]> = {};
      for (const { table, own, hidden = [] } of TABLES) {
        const { rows } = await trx.raw(`SELECT to_jsonb(t) - ?::text[] AS row FROM ?? t WHERE ${own}`, [[...hidden], table, id]);
        data[table] = rows.map(({ row }: { row: unknown }) => row);
      }
      return data;
    },
    ONE_MOMENT,
  );
}

/**
 * Erases a customer: keys, monitors, changes, deliveries, usage, kept answers, the account itself and what the audit log says of them.
 * Left are the totals of months, and an entry that says so. All of it or nothing.
 * @throws AppError INVALID_INPUT when `which` names no account, or several, or one whose keys were not all revoked a minute ago
 */
export async function eraseAccount(
  { db, now, actor }: AccountsDeps,
  which: string,
): Promise<{ readonly id: string; readonly name: string }> {
  const account = await findAccount(db, which);
  const { id } = account;
  await atLeisure(db, async (trx) => {
    await trx('accounts').where({ id }).forUpdate();
    await requireQuiet(trx, id, now() - QUIET_MS);
    const keys: string[] = await trx('api_keys').where({ account_id: id }).pluck('id');
    const monitors: readonly string[] = await trx('monitors').whereIn('key_id', keys).pluck('id');
    await trx.raw(
      `INSERT INTO erased_usage SELECT ?, module, month, sum(used) FROM usage_counters WHERE key_id = ANY(?) GROUP BY module, month`,
      [id, keys],
    );
    const hosts: string[] = await trx('deliveries').whereIn('key_id', keys).distinct().pluck('host');
    for (const table of ['monitors', 'changes', 'deliveries', 'usage_events', 'usage_counters', 'idempotency_keys'])
      await trx(table).whereIn('key_id', keys).delete();
    await trx.raw('DELETE FROM webhook_lanes l WHERE host = ANY(?) AND NOT EXISTS (SELECT FROM deliveries d WHERE d.host = l.host)', [
      hosts,
    ]);
    await trx('audit_log')
      .whereIn('subject', [id, ...keys, ...monitors.map((monitor) => toPublicId('monitor', monitor))])
      .orWhereIn(
        'actor',
        keys.map((key) => `key ${key}`),
      )
      .delete();
    await trx('api_keys').where({ account_id: id }).delete();
    await trx('accounts').where({ id }).delete();
    await audit(trx, { at: now(), actor, action: 'account.erased', subject: id });
  });
  await forgetUnwatched(db);
  return account;
}

async function requireQuiet(trx: Knex, accountId: string, before: number): Promise<void> {
  const open = await trx('api_keys')
    .where({ account_id: accountId })
    .whereRaw('revoked_at IS NULL OR revoked_at > ?', [new Date(before)])
    .first('id');
  if (open)
    throw new AppError(
      'INVALID_INPUT',
      `Key ${open.id} was not revoked, or less than a minute ago: revoke every key of the account first.`,
    );
}

/** One transaction whose statements may take as long as they need. */
async function atLeisure<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>, terms: Knex.TransactionConfig = {}): Promise<T> {
  const own = createDb(urlOf(db), { poolMax: 1, statementTimeoutMs: 0 });
  try {
    return await own.transaction(work, terms);
  } finally {
    await own.destroy();
  }
}
