import { createTransport } from 'nodemailer';
import { AppError } from '../domain/errors.ts';
import type { Mail, Mailer } from '../domain/mail.ts';
import { isoWithOffset, SECOND_MS } from '../domain/time.ts';
import type { IssuedKey } from './api-keys/keys.ts';

export interface MailSettings {
  /**
   * URL of the server, `smtp://user:password@host:port`, or `smtps://`. Other options of nodemailer may follow as a query, e.g.
   * `?requireTLS=false`.
   */
  readonly smtpUrl: string;
  readonly from: string;
}

/**
 * Creates a mailer. It sends over TLS with a verified certificate: from the start (smtps) or by STARTTLS (smtp), except to a server on
 * this machine.
 */
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
      // The error contains the server's text, which may quote the mail and thus the secret, so our error contains only codes.
      await transport.sendMail({ ...mail, from }).catch((error: { code?: string; responseCode?: number }) => {
        const why = [error.code, error.responseCode].filter(Boolean).join(' ') || 'unknown';
        throw new AppError('SERVICE_UNAVAILABLE', `The mail could not be sent (${why}).`, {}, { cause: new Error(why) });
      });
    },
  };
}

/**
 * Writes the mail with a new key, or with the new secret of a key whose old secret is valid until `oldValidUntil` (epoch ms). Lines have
 * 76 characters at most, so that the mail needs no transfer encoding.
 */
export function keyMail({ key, name, modules, expiresAt }: IssuedKey, to: string, oldValidUntil?: number): Mail {
  const opening =
    oldValidUntil === undefined
      ? 'this is your API key. It is written here and nowhere else: keep it\nwhere you keep passwords.'
      : `this is your new API key. Put it in the place of the one before it,\nwhich opens until ${isoWithOffset(oldValidUntil)}.`;
  return {
    to,
    subject: oldValidUntil === undefined ? 'Your Quipu API key' : 'Your new Quipu API key',
    text: `Hello,

${opening}

${key}

Name: ${name}
Modules: ${modules.join(', ')}
Expires: ${expiresAt === null ? 'never' : isoWithOffset(expiresAt)}

How to use it: send it with every request, in the header X-API-Key, over
REST (/v1) and GraphQL (/graphql) alike. Never write it into a URL, into
the code of a web page or an app, or into a repository.

How to replace it: ask us for another. For a while both open, so that you
can change it without a pause. If somebody else may have seen it, tell us
at once: we close it within seconds.
`,
  };
}
