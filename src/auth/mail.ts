import { createTransport } from 'nodemailer';
import { AppError } from '../domain/errors.ts';
import { SECOND_MS } from '../domain/time.ts';

/** A mail in plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** @throws AppError SERVICE_UNAVAILABLE when the server did not take it; why in one word, never what anybody wrote or said */
  send(mail: Mail): Promise<void>;
}

export interface MailSettings {
  /** `smtp://user:password@host:port`, or `smtps://`. What else nodemailer knows may follow as a query, e.g. `?requireTLS=false`. */
  readonly smtpUrl: string;
  readonly from: string;
}

/** Over TLS, whose certificate must be good: begun with it (smtps) or upgraded to it (smtp), but for a server on this machine. */
export function createMailer({ smtpUrl, from }: MailSettings): Mailer {
  const { hostname } = new URL(smtpUrl);
  const transport = createTransport({
    requireTLS: !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) && !/[?&]requireTLS=false(&|$)/.test(smtpUrl),
    url: smtpUrl,
    connectionTimeout: 10 * SECOND_MS,
    greetingTimeout: 10 * SECOND_MS,
    dnsTimeout: 10 * SECOND_MS,
    socketTimeout: 20 * SECOND_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      // The error holds what the server said, which may be the mail itself: it goes no further.
      await transport.sendMail({ ...mail, from }).catch((error: { code?: string; responseCode?: number }) => {
        const why = [error.code, error.responseCode].filter(Boolean).join(' ') || 'unknown';
        throw new AppError('SERVICE_UNAVAILABLE', `The mail could not be sent (${why}).`);
      });
    },
  };
}
