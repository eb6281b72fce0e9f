import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Mail, Mailing } from '../../../domain/mail.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { enqueue } from '../../../jobs/job.ts';
import type { ServiceDeps } from '../../../service.ts';
import { nextTime, reachedDay } from '../domain/daily-time.ts';
import { isQuiet } from '../domain/digest.ts';
import { digestMail, invitationMail, type MailFrame } from '../domain/digest-mail.ts';
import type { MailSubscription } from '../domain/mail-subscription.ts';
import { closeMail, findMailSubscription, lockDueMails, openMail, saveMailError, saveNextMail } from '../store/mail-subscriptions.ts';
import { type DigestDeps, readDigest } from './digest-content.ts';
import { MAIL_PATH, type MailLinks } from './mail-links.ts';
import { MAIL_QUEUE } from './mail-subscriptions.ts';

/** Name of the recurring job that enqueues due mails. */
export const MAIL_TICK = 'monitor.mail_tick';
/** Name of the job that sends the mail of a day to a person. */
export const MAIL = 'monitor.mail';

/** Number of mails that one transaction enqueues. */
const BATCH = 200;

/** Sends the mails about the watched companies. */
export interface Digests {
  /** Enqueues the mails that are due. */
  tick(): Promise<void>;
  /**
   * Sends the mail of a day. It is sent again if the process ends between the acceptance by the mail server and its record here; the
   * repetition has the same `Message-ID` and the same changes.
   * @param id UUID of the subscription @param day local day, such as `2026-11-28` @throws AppError SERVICE_UNAVAILABLE; the job is repeated
   */
  send(id: string, day: string): Promise<void>;
  /** Sends the mail that asks a person to confirm the address. @param id UUID @throws AppError SERVICE_UNAVAILABLE; the job is repeated */
  invite(id: string): Promise<void>;
}

export interface DigestsDeps extends DigestDeps, Pick<ServiceDeps, 'mailing'> {
  readonly links: MailLinks;
}

export function createDigests(deps: DigestsDeps): Digests {
  const { db, now, mailing, links } = deps;

  /** Enqueues due mails in one transaction with the time of the next ones. @returns their number */
  const enqueueDue = (): Promise<number> =>
    inTransaction(db, async (trx) => {
      const due = await lockDueMails(trx, now(), BATCH);
      for (const { id, lastDay, ...daily } of due) {
        const day = reachedDay(now(), daily);
        await saveNextMail(trx, id, nextTime(now(), daily, lastDay !== null && lastDay > day ? lastDay : day));
        await enqueue(trx, MAIL, { id, day }, { key: `${MAIL} ${id}`, queueName: MAIL_QUEUE });
      }
      return due.length;
    });

  function frameOf({ publicUrl }: Mailing, subscription: MailSubscription, account: string): MailFrame {
    const { id, email, language, timeZone } = subscription;
    const unsubscribeUrl = `${publicUrl}${MAIL_PATH}/${links.tokenOf({ purpose: 'unsubscribe', id })}`;
    return { email, language, timeZone, account, publicUrl, unsubscribeUrl };
  }

  /** Sends a mail, and stores the failure for the people who look for it. @throws AppError SERVICE_UNAVAILABLE */
  async function deliver({ mailer }: Mailing, id: string, mail: Mail): Promise<void> {
    try {
      await mailer.send(mail);
    } catch (error) {
      await saveMailError(db, id, codesOf(error));
      throw error;
    }
  }

  return {
    async tick() {
      let enqueued = mailing ? BATCH : 0;
      while (enqueued === BATCH) enqueued = await enqueueDue();
    },

    async send(id, day) {
      if (!mailing) return;
      const opened = await openMail(db, id, day, now());
      if (!opened) return;
      const { subscription, account, after, upto, since } = opened;
      const digest = await readDigest(deps, { accountId: subscription.accountId, after, upto });
      const isNeeded = subscription.everyDay || !isQuiet(digest);
      if (isNeeded)
        await deliver(mailing, id, {
          ...digestMail(digest, frameOf(mailing, subscription, account), since),
          messageId: messageIdOf(mailing, id, day),
        });
      await closeMail(db, id, day, isNeeded ? now() : null);
    },

    async invite(id) {
      const found = await findMailSubscription(db, id);
      if (!mailing || !found || found.confirmedAt !== null) return;
      const confirmUrl = `${mailing.publicUrl}${MAIL_PATH}/${links.tokenOf({ purpose: 'confirm', id })}`;
      await deliver(mailing, id, invitationMail(frameOf(mailing, found, found.account), confirmUrl));
    },
  };
}

/** Returns the `Message-ID` of the mail of a day. By it a mail program recognises a repetition. */
const messageIdOf = ({ publicUrl }: Mailing, id: string, day: string): string =>
  `<${day}.${toPublicId('mailSubscription', id)}@${new URL(publicUrl).hostname}>`;

/** Returns the codes of a failure, without the mail and the server's text. */
const codesOf = (error: unknown): string => (error instanceof AppError && error.cause instanceof Error ? error.cause.message : 'unknown');
