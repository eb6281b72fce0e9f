import { randomUUID } from 'node:crypto';
import { domainToASCII, domainToUnicode } from 'node:url';
import type { Knex } from 'knex';
import { type AuditAction, audit } from '../../../audit/audit-log.ts';
import { actorOf, type Caller } from '../../../context.ts';
import { changeInTime } from '../../../db/change.ts';
import { lockAccount } from '../../../db/transaction.ts';
import { parseEmailAddress } from '../../../domain/email-address.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import type { LimitedAction } from '../../../domain/plan.ts';
import { fromPublicId, toPublicId } from '../../../domain/public-ids.ts';
import { isTimeZone } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import { mailMessages } from '../../../messages/mails.ts';
import type { ServiceDeps } from '../../../service.ts';
import { nextTime } from '../domain/daily-time.ts';
import { INVITED_AGAIN_MS, MAX_MAIL_SUBSCRIPTIONS, type MailSettings, type MailSubscription } from '../domain/mail-subscription.ts';
import {
  confirmMailSubscription,
  countMailSubscriptions,
  deleteMailSubscriptions,
  findMailSubscription,
  type LockedSubscription,
  lockMailSubscription,
  markInvited,
  saveMailSubscription,
  saveNextMail,
} from '../store/mail-subscriptions.ts';

/** Rate limit of changes of subscriptions, per key, because each may send a mail to an address of the caller's choice. */
export const SUBSCRIBE: LimitedAction = { name: 'mail_subscription', rate: { perMinute: 10, burst: 10 } };

/** Queue of the jobs that send mails, which run one after another: a mail server that hangs occupies one worker only. */
export const MAIL_QUEUE = 'mails';

/** Name of the job that asks a person to confirm an address. */
export const INVITE = 'monitor.invite';

/** The people who receive the daily mail. A key reaches those of its account. Ids are public ids, except where it says UUID. */
export interface MailSubscriptions {
  /**
   * Adds a person, who is asked by a mail to confirm the address, or changes the settings of the person with this address.
   * @throws AppError INVALID_INPUT on `email`, `time_zone` or `hour`, and if the service sends no mails; PLAN_LIMIT_REACHED
   */
  save(caller: Caller, settings: MailSettings): Promise<MailSubscription>;
  /** Deletes a person of the caller's account with everything that is stored about the person. @throws AppError MAIL_SUBSCRIPTION_NOT_FOUND */
  delete(caller: Caller, id: string): Promise<void>;
  /** Reads the subscription of a link, by UUID, with the name of its account; undefined if it does not exist any more. */
  find(id: string): ReturnType<typeof findMailSubscription>;
  /** Confirms the address of a subscription (UUID). A second confirmation changes nothing. @returns false if it does not exist any more */
  confirm(id: string): Promise<boolean>;
  /** Deletes the subscription (UUID) for its person. One that does not exist any more is no error. */
  unsubscribe(id: string): Promise<void>;
  /**
   * Deletes an address from all accounts, for an operator. @param actor for the audit log @returns the number of deleted subscriptions
   * @throws AppError INVALID_INPUT on `email`
   */
  forget(email: string, actor: string): Promise<number>;
}

export const createMailSubscriptions = ({ db, now, mailing }: Pick<ServiceDeps, 'db' | 'now' | 'mailing'>): MailSubscriptions => {
  const log = (trx: Knex, actor: string, action: AuditAction, id: string): Promise<void> =>
    audit(trx, { at: now(), actor, action, subject: toPublicId('mailSubscription', id) });

  /** Deletes a subscription; only of an account, if one is given. The audit log has its id and not its address. */
  const deleteOf = (id: string, actor: string, accountId?: string): Promise<boolean> =>
    changeInTime(db, async (trx) => {
      const deleted = await deleteMailSubscriptions(trx, { id, ...(accountId !== undefined && { accountId }) });
      for (const one of deleted) await log(trx, actor, 'mail.unsubscribed', one);
      return deleted.length > 0;
    });

  return {
    async save(caller, given) {
      if (!mailing) throw invalidInput('email', mailMessages.noMails());
      const settings = readSettings(given);
      const at = now();
      const id = randomUUID();
      return changeInTime(db, async (trx) => {
        await lockAccount(trx, caller.accountId);
        const saved = await saveMailSubscription(trx, { ...settings, id, accountId: caller.accountId, keyId: caller.keyId, createdAt: at });
        const isNew = saved.id === id;
        if (isNew && (await countMailSubscriptions(trx, caller.accountId)) > MAX_MAIL_SUBSCRIPTIONS) throw tooMany();
        if (isNew || (await markInvited(trx, saved.id, { now: at, since: at - INVITED_AGAIN_MS })))
          await enqueue(trx, INVITE, { id: saved.id }, { key: `${INVITE} ${saved.id}`, queueName: MAIL_QUEUE });
        await log(trx, actorOf(caller), 'mail.subscribed', saved.id);
        return withNextMail(trx, saved, at);
      });
    },

    async delete(caller, publicId) {
      const id = fromPublicId('mailSubscription', publicId);
      if (id === null || !(await deleteOf(id, actorOf(caller), caller.accountId))) throw notFound();
    },

    find: (id) => findMailSubscription(db, id),

    confirm: (id) =>
      changeInTime(db, async (trx) => {
        const found = await lockMailSubscription(trx, id);
        if (!found) return false;
        if (found.confirmedAt !== null) return true;
        await confirmMailSubscription(trx, id, now(), nextTime(now(), found, found.lastDay));
        await log(trx, PERSON, 'mail.confirmed', id);
        return true;
      }),

    async unsubscribe(id) {
      await deleteOf(id, PERSON);
    },

    forget: (email, actor) =>
      changeInTime(db, async (trx) => {
        const deleted = await deleteMailSubscriptions(trx, { email: readAddress(email) });
        for (const id of deleted) await log(trx, actor, 'mail.unsubscribed', id);
        return deleted.length;
      }),
  };
};

/** Actor of what a person does by a link, without an API key. */
const PERSON = 'person by link';

/** Plans the next mail of a confirmed subscription, whose hour or time zone may have changed. A mail that is due already stays due. */
async function withNextMail(trx: Knex, saved: LockedSubscription, at: number): Promise<MailSubscription> {
  if (saved.confirmedAt === null) return saved;
  if (saved.nextAt !== null && saved.nextAt <= at) return saved;
  const nextAt = nextTime(at, saved, saved.lastDay);
  await saveNextMail(trx, saved.id, nextAt);
  return { ...saved, nextAt };
}

/** Returns the settings as they are stored. @throws AppError INVALID_INPUT on `email`, `time_zone` or `hour` */
function readSettings({ email, language, timeZone, hour, everyDay }: MailSettings): MailSettings {
  const address = readAddress(email);
  if (!isTimeZone(timeZone)) throw invalidInput('time_zone', mailMessages.badTimeZone());
  if (!Number.isInteger(hour) || hour < 0 || hour > 23) throw invalidInput('hour', mailMessages.badHour());
  return { email: address, language, timeZone, hour, everyDay };
}

/** Returns an address as it is stored: in lower case, its domain as in the DNS. @throws AppError INVALID_INPUT on `email` */
function readAddress(text: string): string {
  const address = parseEmailAddress(text.trim(), { toAscii: domainToASCII, toUnicode: domainToUnicode });
  if (!address || address.asciiDomain === null) throw invalidInput('email', mailMessages.badAddress());
  return `${address.local}@${address.asciiDomain}`;
}

const tooMany = (): AppError =>
  new AppError('PLAN_LIMIT_REACHED', mailMessages.tooMany({ max: MAX_MAIL_SUBSCRIPTIONS }), {
    module: 'monitor',
  });

const notFound = (): AppError => new AppError('MAIL_SUBSCRIPTION_NOT_FOUND', mailMessages.notOfAccount());
