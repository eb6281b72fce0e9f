import type { OutboundAnswer } from '../outbound/outbound.ts';

/** A fetched web page. */
export interface Page {
  /** URL after redirects. */
  readonly url: URL;
  /** Status, 2xx. */
  readonly status: number;
  /** Headers by lower-case name; `set-cookie` has one value per cookie. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Text of the page, decoded from its charset. */
  readonly html: string;
  /** True if the page was cut at the maximum size. */
  readonly cut: boolean;
}

/** Result of fetching a page. Only `unreachable` means that the site did not respond. */
export type PageOutcome =
  | { readonly kind: 'page'; readonly page: Page }
  /** The robots.txt disallows this page for our user agent. */
  | { readonly kind: 'robots'; readonly url: URL }
  /** The site rejected the request as a robot's: 403, 429, or a bot wall. */
  | { readonly kind: 'challenge'; readonly url: URL; readonly status: number }
  | { readonly kind: 'not_html'; readonly url: URL; readonly status: number }
  | { readonly kind: 'status'; readonly url: URL; readonly status: number }
  /** None of the host names is in the DNS. */
  | { readonly kind: 'no_such_name' }
  /** The site is unreachable. `reason` is one word for the log; callers get the same message for every reason. */
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Markup of common bot walls. */
const BOT_WALL = /challenge-platform|_Incapsula_|captcha-delivery/i;
const BOT_WALL_TITLE = /<title>\s{0,100}(?:just a moment|attention required|access denied|un momento|um momento)/i;

/** Classifies a response. */
export function classify(answer: OutboundAnswer): Exclude<PageOutcome, { kind: 'robots' | 'no_such_name' | 'unreachable' }> {
  const { url, status, headers, cut } = answer;
  const html = isHtml(answer) ? pageText(answer) : null;
  const wall =
    headers['cf-mitigated'] !== undefined || (status === 503 && html !== null && (BOT_WALL.test(html) || BOT_WALL_TITLE.test(html)));
  if (wall || status === 403 || status === 429) return { kind: 'challenge', url, status };
  if (status < 200 || status > 299) return { kind: 'status', url, status };
  if (html === null) return { kind: 'not_html', url, status };
  return { kind: 'page', page: { url, status, headers, html, cut } };
}

/** True for an HTML content type; without a content type, for a body that begins like HTML. */
function isHtml({ headers, body }: OutboundAnswer): boolean {
  const type = headers['content-type']?.[0];
  if (type !== undefined) return /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(type);
  return /<(?:!doctype\s+html|html|head|body)\b/i.test(body.subarray(0, 1024).toString('latin1'));
}

/** Number of bytes at the start of a page that are searched for `<meta charset>`, as in browsers. */
const META_BYTES = 1024;
const META = /<meta[^<>]{1,500}charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w:.+-]{1,64})/i;
/** Charsets whose bytes may also be valid UTF-8 with another meaning. They are tried before UTF-8. */
const UTF8_LOOK_ALIKES = /^(utf-?16|iso-2022)/i;

/**
 * Decodes the body of a response. It tries UTF-8 first, then the charset of the byte order mark, the header or `<meta>`, then
 * Windows-1252. A UTF-16 or ISO-2022 label is tried before UTF-8.
 */
export function pageText({ body, headers, cut }: OutboundAnswer): string {
  const label = bomOf(body) ?? headerCharset(headers['content-type']?.[0]) ?? metaCharset(body);
  const guesses = label && UTF8_LOOK_ALIKES.test(label) ? [label, 'utf-8'] : ['utf-8', ...(label ? [label] : [])];
  for (const guess of guesses) {
    const text = decoded(body, guess, cut);
    if (text !== null) return text;
  }
  return new TextDecoder('windows-1252').decode(body);
}

/** Decodes bytes. Returns null if they are not valid in the charset, or the charset is unknown. A cut body may end inside a character. */
function decoded(bytes: Buffer, charset: string, cut: boolean): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return null;
  }
}

function bomOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return null; // UTF-8 is tried first anyway
}

const headerCharset = (type: string | undefined): string | undefined => /charset\s*=\s*"?([^\s;"]+)/i.exec(type ?? '')?.[1];

/** Returns the charset in a `<meta>` tag. It ignores UTF-16, because a page in UTF-16 could not have been searched as single bytes. */
function metaCharset(bytes: Buffer): string | undefined {
  const label = META.exec(bytes.toString('latin1', 0, META_BYTES))?.[1];
  return label && /^utf-?16/i.test(label) ? undefined : label;
}
