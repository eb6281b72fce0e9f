import { DAY_MS, MINUTE_MS } from '../../../domain/time.ts';
import type { Language } from '../../../messages/message.ts';
import type { DailyTime } from './daily-time.ts';

/** The choices of a person who receives the daily mail. */
export interface MailSettings extends DailyTime {
  /** Address of the person, in lower case. */
  readonly email: string;
  readonly language: Language;
  /** True if a mail is sent also on a day without a change. */
  readonly everyDay: boolean;
}

/** A person who receives a mail a day about the companies that an account watches. Times are epoch ms. */
export interface MailSubscription extends MailSettings {
  /** UUID; callers see `mls_…`. */
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: number;
  /** Null until the person has confirmed the address. Nothing but the request to confirm it is sent before. */
  readonly confirmedAt: number | null;
  /** When the next mail is due; null before the confirmation. */
  readonly nextAt: number | null;
  /** Null before the first mail. */
  readonly lastSentAt: number | null;
  /** Codes of the failure of the last attempt, such as `EENVELOPE 550`; null after a success. */
  readonly lastError: string | null;
}

/** Maximum number of people of an account. */
export const MAX_MAIL_SUBSCRIPTIONS = 50;
/** Time after which an address that was not confirmed is deleted. The link of its mail is not valid any more then. */
export const UNCONFIRMED_KEPT_MS = 7 * DAY_MS;
/** Minimum time between two mails that ask the same person to confirm the address. */
export const INVITED_AGAIN_MS = 10 * MINUTE_MS;

/** Purposes of the links in mails. */
export const LINK_PURPOSES = ['confirm', 'unsubscribe'] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];
