import type { OutboundAnswer } from '../outbound/outbound.ts';

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
const BOT_WALL =
  /<title>\s*(?:just a moment|attention required|access denied|un momento|um momento)|challenge-platform|_Incapsula_|captcha-delivery/i;

/** An answer → what it is. */
export function classify(answer: OutboundAnswer): Exclude<PageOutcome, { kind: 'robots' | 'no_such_name' | 'unreachable' }> {
  const { url, status, headers, cut } = answer;
  const html = isHtml(answer) ? pageText(answer) : null;
  const wall = headers['cf-mitigated'] !== undefined || (status === 503 && html !== null && BOT_WALL.test(html));
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

/** Where in a page its `<meta charset>` must be, in bytes; browsers look as far. */
const META_BYTES = 1024;
const META = /<meta[^>]+charset\s*=\s*["']?\s*([\w:.+-]+)/i;
/** Charsets in which bytes are valid UTF-8 too, and mean something else. */
const UTF8_LOOK_ALIKES = /^(utf-?16|iso-2022)/i;

/** The text of an answer, by its byte order mark, header, `<meta>` or, where none says or it lies, UTF-8 then Windows-1252. */
export function pageText({ body, headers, cut }: OutboundAnswer): string {
  const label = bomOf(body) ?? headerCharset(headers['content-type']?.[0]) ?? metaCharset(body);
  const guesses = label && UTF8_LOOK_ALIKES.test(label) ? [label, 'utf-8'] : ['utf-8', ...(label ? [label] : [])];
  for (const guess of guesses) {
    const text = decoded(body, guess, cut);
    if (text !== null) return text;
  }
  return new TextDecoder('windows-1252').decode(body);
}

/** Null where the bytes are no such text, or nobody knows the charset. A cut body may end inside a character. */
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

/** A page that could be read this far is not in UTF-16, whatever it says. */
function metaCharset(bytes: Buffer): string | undefined {
  const label = META.exec(bytes.toString('latin1', 0, META_BYTES))?.[1];
  return label && /^utf-?16/i.test(label) ? undefined : label;
}
