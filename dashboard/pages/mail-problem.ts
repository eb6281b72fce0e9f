import type { TextKey, Texts } from '../texts/texts.ts';

/** Texts of failures to send a mail, by the code of the library that sends mails. */
const KEYS: Readonly<Record<string, TextKey>> = {
  EENVELOPE: 'mail.error.address',
  EMESSAGE: 'mail.error.content',
  EAUTH: 'mail.error.login',
  ENOAUTH: 'mail.error.login',
  ECONNECTION: 'mail.error.connection',
  EDNS: 'mail.error.connection',
  EREQUIRETLS: 'mail.error.connection',
  ESOCKET: 'mail.error.connection',
  ETIMEDOUT: 'mail.error.connection',
  ETLS: 'mail.error.connection',
};

/**
 * Returns the sentence about a mail that could not be sent.
 * @param codes code of the failure, followed by the status of the mail server where it gave one, such as `EENVELOPE 550`
 */
export const mailProblemText = (codes: string, texts: Texts): string => texts(KEYS[codes.split(' ', 1)[0] ?? ''] ?? 'mail.error.other');
