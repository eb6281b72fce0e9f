import type { Knex } from 'knex';
import { groupByQuery, type NumberedRow, queryTable } from '../../../db/paging.ts';
import type { Language } from '../../../messages/message.ts';
import type { MailSettings, MailSubscription } from '../domain/mail-subscription.ts';

/** SQL: true while the key `k` may read what a mail contains. `:now` is the current time. */
const KEY_IS_VALID = `(k.revoked_at IS NULL OR k.revoked_at > :now) AND (k.expires_at IS NULL OR k.expires_at > :now) AND 'monitor' = ANY (k.modules)`;

/** Reads the subscriptions of accounts, the oldest first. */
export async function findMailSubscriptions(
  db: Knex,
  queries: readonly { readonly accountId: string }[],
): Promise<readonly (readonly MailSubscription[])[]> {
  const { rows } = await db.raw(
    `SELECT query.n, s.* FROM ${queryTable({ accountId: 'uuid' })} JOIN mail_subscriptions s ON s.account_id = query."accountId"
     ORDER BY s.created_at, s.id`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<Row & NumberedRow>(rows, queries.length).map((group) => group.map(toSubscription));
}

export interface NewMailSubscription extends MailSettings {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly createdAt: number;
}

/** A subscription that is locked until the transaction ends. */
export interface LockedSubscription extends MailSubscription {
  /** Local day of its last mail; null before the first one. */
  readonly lastDay: string | null;
}

/** Adds a subscription, or changes that of the same address, which keeps its id and its confirmation. */
export async function saveMailSubscription(trx: Knex, added: NewMailSubscription): Promise<LockedSubscription> {
  const { id, accountId, keyId, email, language, timeZone, hour, everyDay, createdAt } = added;
  const at = new Date(createdAt);
  const settings = { language, time_zone: timeZone, hour, every_day: everyDay };
  const [row] = await trx('mail_subscriptions')
    .insert({ id, account_id: accountId, key_id: keyId, email, ...settings, created_at: at, invited_at: at })
    .onConflict(['account_id', 'email'])
    .merge({ ...settings, key_id: keyId })
    .returning('*');
  return toLocked(row);
}

export async function countMailSubscriptions(trx: Knex, accountId: string): Promise<number> {
  const [row] = await trx('mail_subscriptions').where({ account_id: accountId }).count({ count: '*' });
  return Number(row?.count);
}

/** Marks a subscription as invited, unless it was invited after `since` or is confirmed. Times are epoch ms. */
export async function markInvited(
  trx: Knex,
  id: string,
  { now, since }: { readonly now: number; readonly since: number },
): Promise<boolean> {
  const invited = trx('mail_subscriptions').where({ id, confirmed_at: null }).where('invited_at', '<=', new Date(since));
  return (await invited.update({ invited_at: new Date(now) })) === 1;
}

/** Reads a subscription, with the name of its account; undefined if it does not exist. */
export async function findMailSubscription(db: Knex, id: string): Promise<(MailSubscription & { readonly account: string }) | undefined> {
  const row = await db('mail_subscriptions as s').join('accounts as a', 'a.id', 's.account_id').where('s.id', id).first('s.*', 'a.name');
  return row && { ...toSubscription(row), account: row.name };
}

/** Locks a subscription; undefined if it does not exist. */
export async function lockMailSubscription(trx: Knex, id: string): Promise<LockedSubscription | undefined> {
  const row = await trx('mail_subscriptions').where({ id }).forNoKeyUpdate().first();
  return row && toLocked(row);
}

/** Marks a locked subscription as confirmed. Its first mail has the changes from now on. @param nextAt epoch ms of the first mail */
export async function confirmMailSubscription(trx: Knex, id: string, now: number, nextAt: number): Promise<void> {
  await trx.raw(
    `UPDATE mail_subscriptions SET confirmed_at = ?, due_at = ?, position = (SELECT position FROM log_heads WHERE stream = 'changes')
     WHERE id = ?`,
    [new Date(now), new Date(nextAt), id],
  );
}

/** @param nextAt epoch ms */
export async function saveNextMail(trx: Knex, id: string, nextAt: number): Promise<void> {
  await trx('mail_subscriptions')
    .where({ id })
    .update({ due_at: new Date(nextAt) });
}

/** Deletes subscriptions of an account, or of all accounts if it is undefined, by id or by address. @returns their ids */
export async function deleteMailSubscriptions(
  trx: Knex,
  which: { readonly id: string; readonly accountId?: string } | { readonly email: string },
): Promise<readonly string[]> {
  const conditions = 'email' in which ? { email: which.email } : { id: which.id, ...(which.accountId && { account_id: which.accountId }) };
  const rows: readonly { readonly id: string }[] = await trx('mail_subscriptions').where(conditions).delete().returning('id');
  return rows.map(({ id }) => id);
}

/** Deletes the addresses that were not confirmed and were last invited before a time (epoch ms). */
export async function purgeUnconfirmed(db: Knex, before: number): Promise<void> {
  await db('mail_subscriptions').where({ confirmed_at: null }).where('invited_at', '<', new Date(before)).delete();
}

/** A subscription whose next mail is due. */
export interface DueMail extends Pick<MailSettings, 'timeZone' | 'hour'> {
  readonly id: string;
  /** Local day of the last mail; null before the first one. */
  readonly lastDay: string | null;
}

/** Locks subscriptions whose mail is due, the longest due first, without those that another process has locked. @param now epoch ms */
export async function lockDueMails(trx: Knex, now: number, limit: number): Promise<readonly DueMail[]> {
  const { rows } = await trx.raw(
    `SELECT id, time_zone AS "timeZone", hour, last_day AS "lastDay" FROM mail_subscriptions
     WHERE due_at <= ? ORDER BY due_at LIMIT ? FOR NO KEY UPDATE SKIP LOCKED`,
    [new Date(now), limit],
  );
  return rows;
}

/** A mail that is to be sent: the changes of the account after one position, up to another. */
export interface OpenedMail {
  readonly subscription: MailSubscription;
  /** Name of the account. */
  readonly account: string;
  readonly after: number;
  readonly upto: number;
  /** Epoch ms of the mail before; of the confirmation for the first one. */
  readonly since: number;
}

/**
 * Opens the mail of a day: it fixes the changes that the mail has, which a repetition has, too. Returns null if nothing is to be sent: the
 * mail of this day is done, the subscription is deleted or not confirmed, or its key is not valid any more. @param now epoch ms
 */
export async function openMail(db: Knex, id: string, day: string, now: number): Promise<OpenedMail | null> {
  const { rows } = await db.raw(
    `UPDATE mail_subscriptions s SET day = :day, upto = CASE WHEN s.day = :day THEN s.upto ELSE head.position END
     FROM log_heads head, accounts a, api_keys k
     WHERE s.id = :id AND head.stream = 'changes' AND a.id = s.account_id AND k.id = s.key_id AND ${KEY_IS_VALID}
       AND s.confirmed_at IS NOT NULL AND (s.last_day IS NULL OR s.last_day < :day)
     RETURNING s.*, a.name`,
    { id, day, now: new Date(now) },
  );
  const [row]: readonly (Row & { readonly name: string })[] = rows;
  if (!row) return null;
  const since = (row.last_sent_at ?? row.confirmed_at ?? row.created_at).getTime();
  return { subscription: toSubscription(row), account: row.name, after: Number(row.position), upto: Number(row.upto), since };
}

/** Stores that the mail of a day is done. @param sentAt epoch ms; null for a mail that was not necessary */
export async function closeMail(db: Knex, id: string, day: string, sentAt: number | null): Promise<void> {
  await db.raw(
    `UPDATE mail_subscriptions SET last_day = :day, position = upto, last_error = NULL, last_sent_at = coalesce(:sentAt, last_sent_at)
     WHERE id = :id AND day = :day`,
    { id, day, sentAt: sentAt === null ? null : new Date(sentAt) },
  );
}

/** Stores why the last attempt failed. */
export async function saveMailError(db: Knex, id: string, error: string): Promise<void> {
  await db('mail_subscriptions').where({ id }).update({ last_error: error });
}

interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly email: string;
  readonly language: Language;
  readonly time_zone: string;
  readonly hour: number;
  readonly every_day: boolean;
  readonly created_at: Date;
  readonly confirmed_at: Date | null;
  readonly due_at: Date | null;
  readonly position: string;
  readonly upto: string | null;
  readonly last_day: string | null;
  readonly last_sent_at: Date | null;
  readonly last_error: string | null;
}

const toSubscription = (row: Row): MailSubscription => ({
  id: row.id,
  accountId: row.account_id,
  email: row.email,
  language: row.language,
  timeZone: row.time_zone,
  hour: row.hour,
  everyDay: row.every_day,
  createdAt: row.created_at.getTime(),
  confirmedAt: row.confirmed_at?.getTime() ?? null,
  nextAt: row.due_at?.getTime() ?? null,
  lastSentAt: row.last_sent_at?.getTime() ?? null,
  lastError: row.last_error,
});

const toLocked = (row: Row): LockedSubscription => ({ ...toSubscription(row), lastDay: row.last_day });
