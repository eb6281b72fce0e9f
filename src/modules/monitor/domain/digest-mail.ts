import { type CompanyKey, formatTaxId, hasOfficers } from '../../../domain/company.ts';
import type { Mail } from '../../../domain/mail.ts';
import { mailMessages } from '../../../messages/mails.ts';
import type { Message } from '../../../messages/message.ts';
import { sourceNameIn } from '../../../messages/source-names.ts';
import type { FieldChange } from './change.ts';
import { fieldText, timeText, valueText } from './change-texts.ts';
import { type ChangedCompany, type Digest, isQuiet, type NamedCompany } from './digest.ts';
import { type MailItem, type MailPart, toHtml, toText } from './mail-document.ts';
import type { MailSettings } from './mail-subscription.ts';

/** The receiver of a mail, and the addresses that its links have. */
export interface MailFrame extends Pick<MailSettings, 'email' | 'language' | 'timeZone'> {
  /** Name of the account. */
  readonly account: string;
  /** Public base address of the service. */
  readonly publicUrl: string;
  /** Address of the page that ends the subscription. */
  readonly unsubscribeUrl: string;
}

/** Writes the mail of a day. @param since epoch ms from which it covers the changes */
export function digestMail(digest: Digest, frame: MailFrame, since: number): Mail {
  const { email, language, unsubscribeUrl } = frame;
  const parts = partsOf(digest, frame, since);
  return {
    to: email,
    subject: subjectOf(digest, frame),
    text: toText(parts),
    html: toHtml(parts, language),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

function subjectOf(digest: Digest, { language, account }: MailFrame): string {
  const n = digest.changed.total;
  if (n > 0) return mailMessages.subjectChanged({ account, n }).in(language);
  return (isQuiet(digest) ? mailMessages.subjectQuiet({ account, n: digest.watched }) : mailMessages.subjectIncomplete({ account })).in(
    language,
  );
}

function partsOf(digest: Digest, frame: MailFrame, since: number): readonly MailPart[] {
  const { language, timeZone, account, email, publicUrl, unsubscribeUrl } = frame;
  const text = (message: Message): string => message.in(language);
  const dashboard = `${publicUrl}/dashboard`;
  return [
    { paragraph: text(mailMessages.since({ since: timeText(since, language, timeZone), zone: timeZone })) },
    ...(isQuiet(digest) ? [{ paragraph: text(mailMessages.nothing()) }] : []),
    ...changedParts(digest, frame),
    ...missingParts(digest, frame),
    ...(digest.openCandidates
      ? [{ link: text(mailMessages.candidates({ n: digest.openCandidates })), href: `${dashboard}/candidates` }]
      : []),
    { link: text(mailMessages.dashboard()), href: dashboard },
    { paragraph: text(mailMessages.why({ email, account })) },
    { link: text(mailMessages.unsubscribe()), href: unsubscribeUrl },
  ];
}

function changedParts({ changed: { items, total } }: Digest, frame: MailFrame): readonly MailPart[] {
  if (total === 0) return [];
  const { language, publicUrl } = frame;
  const rest = total - items.length;
  return [
    { heading: mailMessages.changed().in(language) },
    { items: items.map((one) => ({ ...companyItem(one, frame), lines: linesOf(one, frame) })) },
    ...(rest > 0 ? [{ link: mailMessages.others({ n: rest }).in(language), href: `${publicUrl}/dashboard` }] : []),
  ];
}

/** Names what could not be checked, so that no change is known for it. */
function missingParts({ unchecked, unreadLists, held, lostChanges }: Digest, frame: MailFrame): readonly MailPart[] {
  const { language, timeZone } = frame;
  const text = (message: Message): string => message.in(language);
  const at = (ms: number): string => timeText(ms, language, timeZone);
  return [
    ...(unchecked.total > 0
      ? [
          { heading: text(mailMessages.unchecked()) },
          { paragraph: text(mailMessages.uncheckedWhy({ n: unchecked.total })) },
          {
            items: unchecked.items.map((one) => ({
              ...companyItem(one, frame),
              lines: [
                one.checkedAt === null ? text(mailMessages.neverChecked()) : text(mailMessages.lastChecked({ at: at(one.checkedAt) })),
              ],
            })),
          },
        ]
      : []),
    ...(unreadLists.length > 0
      ? [
          { heading: text(mailMessages.unread()) },
          { paragraph: text(mailMessages.unreadWhy()) },
          {
            items: unreadLists.map(({ list, readAt }) => ({
              title: sourceNameIn(list, language),
              lines: [readAt === null ? text(mailMessages.neverRead()) : text(mailMessages.lastRead({ at: at(readAt) }))],
            })),
          },
        ]
      : []),
    ...(held > 0 ? [{ paragraph: text(mailMessages.held({ n: held })) }] : []),
    ...(lostChanges ? [{ paragraph: text(mailMessages.lost()) }] : []),
  ];
}

const companyItem = ({ company, name }: NamedCompany, { publicUrl }: MailFrame): MailItem => ({
  title: [name, formatTaxId(company)].filter(Boolean).join(' · '),
  href: `${publicUrl}/dashboard/company/${company.country}/${company.taxId}`,
});

function linesOf({ company, changes, total, lists }: ChangedCompany, { language, timeZone }: MailFrame): readonly string[] {
  const rest = total - changes.length;
  return [
    ...(lists.length > 0
      ? [mailMessages.onLists({ lists: lists.map((list) => sourceNameIn(list, language)).join(', ') }).in(language)]
      : []),
    ...changes.flatMap(({ fields, detectedAt }) =>
      fields.map((field) => `${changeText(field, company, language)} (${timeText(detectedAt, language, timeZone)})`),
    ),
    ...(rest > 0 ? [mailMessages.more({ n: rest }).in(language)] : []),
  ];
}

/** Returns the change of a field in words. The names of owners, who are people, are not sent by mail. */
function changeText(change: FieldChange, company: CompanyKey, language: MailFrame['language']): string {
  const { field, from, to } = change;
  if (field === 'owners') return (hasOfficers(company) ? mailMessages.officersChanged() : mailMessages.ownersChanged()).in(language);
  return `${fieldText(change, company, language)}: ${valueText(from, language)} → ${valueText(to, language)}`;
}

/** Writes the mail that asks a person to confirm the address. */
export function invitationMail(
  { email, language, account, unsubscribeUrl }: Pick<MailFrame, 'email' | 'language' | 'account' | 'unsubscribeUrl'>,
  confirmUrl: string,
): Mail {
  const parts: readonly MailPart[] = [
    { paragraph: mailMessages.invite({ account, email }).in(language) },
    { link: mailMessages.confirm().in(language), href: confirmUrl },
    { link: mailMessages.unsubscribe().in(language), href: unsubscribeUrl },
  ];
  return {
    to: email,
    subject: mailMessages.inviteSubject({ account }).in(language),
    text: toText(parts),
    html: toHtml(parts, language),
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}
