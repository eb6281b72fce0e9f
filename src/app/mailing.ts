import { createMailer } from '../auth/mail.ts';
import type { Config } from '../config.ts';
import { AppError } from '../domain/errors.ts';
import type { Mailer, Mailing } from '../domain/mail.ts';

/**
 * Returns what mails are sent with; null unless the mail server, the sender and the public address are set. In the sandbox without a mail
 * server, its receiver of webhooks takes them under the name `mails`, where people can read them.
 */
export function mailingOf(
  { smtpUrl, mailFrom: from, publicUrl, host, port }: Config,
  sandbox: { readonly url: string } | null,
): Mailing | null {
  if (smtpUrl && from && publicUrl) return { mailer: createMailer({ smtpUrl, from }), publicUrl };
  if (!sandbox || smtpUrl) return null;
  return { mailer: sandboxMailer(sandbox.url), publicUrl: publicUrl ?? `http://${host}:${port}` };
}

const sandboxMailer = (url: string): Mailer => ({
  async send(mail) {
    // biome-ignore lint/style/noRestrictedGlobals: the sandbox is neither a source nor a host that users name
    const reply = await fetch(`${url}/_control/webhooks/mails`, { method: 'POST', body: JSON.stringify(mail) }).catch(() => null);
    if (!reply?.ok) throw new AppError('SERVICE_UNAVAILABLE', 'The sandbox did not take the mail.', {}, { cause: new Error('sandbox') });
  },
});
