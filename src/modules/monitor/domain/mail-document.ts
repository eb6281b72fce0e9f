import { escapeHtml } from '../../../domain/mail.ts';
import type { Language } from '../../../messages/message.ts';

/** An item of a list in a mail: its title, a link to its page, and lines about it. */
export interface MailItem {
  readonly title: string;
  readonly href?: string;
  readonly lines?: readonly string[];
}

/** A part of a mail. A link has a text and stands on a line of its own. */
export type MailPart =
  | { readonly paragraph: string }
  | { readonly heading: string }
  | { readonly items: readonly MailItem[] }
  | { readonly link: string; readonly href: string };

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Writes the parts as plain text. */
export const toText = (parts: readonly MailPart[]): string => `${parts.map(partText).join('\n\n')}\n`;

function partText(part: MailPart): string {
  if ('paragraph' in part) return part.paragraph;
  if ('heading' in part) return `${part.heading}\n${'='.repeat(part.heading.length)}`;
  if ('link' in part) return `${part.link}:\n${part.href}`;
  return part.items.map(itemText).join('\n');
}

const itemText = ({ title, href, lines = [] }: MailItem): string =>
  [`* ${oneLine(title)}`, ...lines.map((line) => `  - ${oneLine(line)}`), ...(href === undefined ? [] : [`  ${href}`])].join('\n');

const STYLE = 'font-family:system-ui,sans-serif;font-size:15px;line-height:1.5;max-width:640px';

/** Writes the parts as an HTML document. All texts are escaped. It has no script, no picture and nothing that is loaded. */
export const toHtml = (parts: readonly MailPart[], language: Language): string =>
  `<!doctype html><html lang="${language}"><head><meta charset="utf-8"></head><body style="${STYLE}">${parts.map(partHtml).join('')}</body></html>`;

function partHtml(part: MailPart): string {
  if ('paragraph' in part) return `<p>${escapeHtml(part.paragraph)}</p>`;
  if ('heading' in part) return `<h2 style="font-size:17px">${escapeHtml(part.heading)}</h2>`;
  if ('link' in part) return `<p>${anchor(part.link, part.href)}</p>`;
  return `<ul>${part.items.map(itemHtml).join('')}</ul>`;
}

function itemHtml({ title, href, lines = [] }: MailItem): string {
  const head = href === undefined ? `<strong>${escapeHtml(oneLine(title))}</strong>` : anchor(oneLine(title), href);
  return `<li>${[head, ...lines.map((line) => escapeHtml(oneLine(line)))].join('<br>')}</li>`;
}

const anchor = (text: string, href: string): string => `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`;
