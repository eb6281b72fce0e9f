import { load } from 'cheerio';

/** Words between tags, as written: references (`&amp;`) and all. */
export interface Words {
  readonly kind: 'words';
  readonly text: string;
}

export interface Tag {
  readonly kind: 'open' | 'close';
  readonly name: string;
  readonly attributes: string;
}

/** An element with all that is in it, unparsed. */
export interface Raw {
  readonly kind: 'raw';
  readonly name: string;
  readonly attributes: string;
  readonly text: string;
}

/** Elements that hold no text of the page, or text only. */
const RAW = new Set('script style title textarea noscript template svg iframe object select'.split(' '));
const LONGEST_TAG = 4_000;

/**
 * A page → its markup, in one pass from left to right. No tree is built: a page made to nest without end keeps a tree builder busy for
 * minutes, and what is wanted here stands in the lines.
 */
export function* markup(html: string): Generator<Words | Tag | Raw> {
  const lower = html.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
  for (let at = 0; at < html.length; ) {
    const begin = html.indexOf('<', at);
    if (begin !== at) yield { kind: 'words', text: html.slice(at, begin === -1 ? undefined : begin) };
    if (begin === -1) return;
    const [, slash, name] = /^<(\/?)([a-z][^\s/>]*)/.exec(lower.slice(begin, begin + 40)) ?? [];
    if (!name && !/[!?/]/.test(html[begin + 1] ?? '')) {
      yield { kind: 'words', text: '<' };
      at = begin + 1;
      continue;
    }
    const comment = html.startsWith('<!--', begin);
    const end = comment ? html.indexOf('-->', begin + 4) : html.indexOf('>', begin);
    if (end === -1) return; // cut in the middle of a tag
    at = end + (comment ? 3 : 1);
    if (!name) continue;
    const attributes = html.slice(begin, Math.min(end, begin + LONGEST_TAG));
    if (slash || !RAW.has(name)) yield { kind: slash ? 'close' : 'open', name, attributes };
    else {
      const close = lower.indexOf(`</${name}`, at);
      yield { kind: 'raw', name, attributes, text: html.slice(at, close === -1 ? undefined : close) };
      if (close === -1) return;
      at = html.indexOf('>', close) + 1 || html.length;
    }
  }
}

/** The value of an attribute in a tag as written; empty where it has none. */
export function attribute(attributes: string, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(attributes);
  return decoded(found?.[1] ?? found?.[2] ?? found?.[3] ?? '');
}

/** Text as written → as read: `&amp;` is `&`. */
export const decoded = (text: string): string => (text.includes('&') ? load(text.replaceAll('<', '&lt;'), null, false).text() : text);

/** Text with its blanks and dashes made plain, and what cannot be seen left out. */
export const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/[\u2010-\u2015\u2212\ufe58\ufe63]/g, '-')
    .replace(/\s+/g, ' ')
    .trim();
