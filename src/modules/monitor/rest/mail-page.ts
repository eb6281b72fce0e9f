import { mailMessages } from '../../../messages/mails.ts';
import { LANGUAGES } from '../../../messages/message.ts';
import type { PageContent, PublicPage } from '../../../rest/route.ts';
import type { Open } from '../../../service.ts';
import { MAIL_PATH } from '../service/mail-links.ts';
import { monitorService } from '../service/monitor.ts';

/** The link names no language once its subscription is deleted, so the page has the text in all of them. */
const INVALID: PageContent = {
  status: 404,
  language: 'en',
  text: LANGUAGES.map((language) => mailMessages.invalidLink().in(language)).join(' '),
};

/** Reads the link, and the subscription that it is about; null if either is not valid any more. */
async function readLink(token: string, open: Open) {
  const { mailLinks, mailSubscriptions } = open(monitorService);
  const link = mailLinks.read(token);
  const found = link && (await mailSubscriptions.find(link.id));
  return link && found ? { purpose: link.purpose, found, mailSubscriptions } : null;
}

/**
 * The page of the links in mails: it confirms an address, or ends a subscription. A POST ends it at once, as RFC 8058 requires, so that mail
 * programs can do it by one click.
 */
export const mailPage: PublicPage = {
  path: `${MAIL_PATH}/:token`,

  async show(token, open) {
    const read = await readLink(token, open);
    if (!read) return INVALID;
    const { email, language, account } = read.found;
    const isConfirmation = read.purpose === 'confirm';
    const text = isConfirmation ? mailMessages.invite({ email, account }) : mailMessages.askUnsubscribe({ email, account });
    const button = isConfirmation ? mailMessages.confirm() : mailMessages.unsubscribe();
    return { status: 200, language, text: text.in(language), button: button.in(language) };
  },

  async act(token, open) {
    const read = await readLink(token, open);
    if (!read) return INVALID;
    const { id, language, hour, timeZone, everyDay } = read.found;
    if (read.purpose === 'unsubscribe') {
      await read.mailSubscriptions.unsubscribe(id);
      return { status: 200, language, text: mailMessages.unsubscribed().in(language) };
    }
    if (!(await read.mailSubscriptions.confirm(id))) return INVALID;
    const confirmed = everyDay ? mailMessages.confirmedEveryDay : mailMessages.confirmed;
    const text = confirmed({ hour: String(hour).padStart(2, '0'), zone: timeZone });
    return { status: 200, language, text: text.in(language) };
  },
};
