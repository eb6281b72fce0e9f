import type { OutboundAnswer } from '../outbound/outbound.ts';
import { pageText } from '../outbound/page-text.ts';

/** A web page as it came. */
export interface Page {
  /** After redirects. */
  readonly url: URL;
  /** 2xx. */
  readonly status: number;
  /** By lower-case name; `set-cookie` has one value a cookie. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Decoded. */
  readonly html: string;
  /** True when the size cap cut it. */
  readonly cut: boolean;
}

/** What became of a page. A bot wall, another type and another status are answers of the site; silence is not. */
export type PageOutcome =
  | { readonly kind: 'page'; readonly page: Page }
  /** Its robots.txt asks us to stay away from this page. */
  | { readonly kind: 'robots'; readonly url: URL }
  /** Turned away as a robot: 403, 429, or a bot wall. */
  | { readonly kind: 'challenge'; readonly url: URL; readonly status: number }
  | { readonly kind: 'not_html'; readonly url: URL; readonly status: number }
  | { readonly kind: 'status'; readonly url: URL; readonly status: number }
  /** No address that was tried is in the DNS. */
  | { readonly kind: 'no_such_name' }
  /** `reason` in one word, for the log only: callers are told the same thing whatever it was. */
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Marks of the usual bot walls. */
const WALL =
  /<title>\s*(?:just a moment|attention required|access denied|un momento|um momento)|challenge-platform|_Incapsula_|captcha-delivery/i;

/** An answer → what it is. */
export function classify(answer: OutboundAnswer): Exclude<PageOutcome, { kind: 'robots' | 'no_such_name' | 'unreachable' }> {
  const { url, status, headers, cut } = answer;
  const html = isHtml(answer) ? pageText(answer) : null;
  const wall = headers['cf-mitigated'] !== undefined || (status === 503 && html !== null && WALL.test(html));
  if (wall || status === 403 || status === 429) return { kind: 'challenge', url, status };
  if (status < 200 || status > 299) return { kind: 'status', url, status };
  if (html === null) return { kind: 'not_html', url, status };
  return { kind: 'page', page: { url, status, headers, html, cut } };
}

/** By its type; where none is stated, by how it begins. */
function isHtml({ headers, body }: OutboundAnswer): boolean {
  const type = headers['content-type']?.[0];
  if (type !== undefined) return /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(type);
  return /<(?:!doctype\s+html|html|head|body)\b/i.test(body.subarray(0, 1024).toString('latin1'));
}
