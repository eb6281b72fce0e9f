import { load } from 'cheerio';
import { storable } from '../../domain/text.ts';

/** One line of a page as a reader sees it. */
export interface PageLine {
  /** Text in which blanks of any kind are single blanks, and dashes of any kind are `-`. */
  readonly text: string;
  readonly inFooter: boolean;
}

export interface PageLink {
  readonly href: string;
  readonly text: string;
}

/** The parts of a page that matter for finding its owner. */
export interface PageDocument {
  /** Title of the page, and the site name if the page states one. */
  readonly title: string;
  readonly lines: readonly PageLine[];
  /** The last 5,000 links. */
  readonly links: readonly PageLink[];
  /** Blocks of structured data, unparsed. */
  readonly jsonLd: readonly string[];
}

/** Inline elements, which do not end a line. */
const INLINE = new Set('a abbr b bdi cite code data em font i mark q s small span strong sub sup time u wbr'.split(' '));
/** Elements that cannot begin a footer, whatever their class or id. */
const NO_SECTION = new Set('html body area base br col embed hr img input link meta source track'.split(' '));
const FOOTER = /footer|rodape|(?:^|[\s_-])pie(?:$|[\s_-])/i;

/** Maximum number of characters of a line that are read. */
const MAX_LINE = 20_000;
/** Maximum number of links kept, from the end of the page, where legal links usually are. */
const MAX_LINKS = 5_000;
/** Number of characters read at each end of a long page. */
const MAX_END_CHARACTERS = 256 * 1024;

/** Reads an HTML page in one pass, in time and memory proportional to its length, for malformed and hostile pages too. */
export function readDocument(html: string): PageDocument {
  const reader = new Reader();
  for (const piece of markup(ends(html))) reader.take(piece);
  return reader.end();
}

/**
 * Cuts a long page to its beginning and its end, because heads have the structured data, footers have the tax ids, and parsing blocks the
 * event loop.
 */
const ends = (html: string): string =>
  html.length <= 2 * MAX_END_CHARACTERS ? html : `${html.slice(0, MAX_END_CHARACTERS)}\n${html.slice(-MAX_END_CHARACTERS)}`;

class Reader {
  readonly #titles: string[] = [];
  readonly #jsonLd: string[] = [];
  /** Links with undecoded text. */
  readonly #links: { readonly href: string; text: string }[] = [];
  readonly #lines: { readonly text: string; readonly inFooter: boolean }[] = [];
  #line = '';
  /** The link whose text is currently read. */
  #link: { readonly href: string; text: string } | null = null;
  /** The element that began the current footer, and the number of elements of its name that are open since; null outside footers. */
  #footer: { readonly name: string; depth: number } | null = null;

  take(piece: Words | Tag | Raw): void {
    if (piece.kind === 'words') {
      this.#line += piece.text;
      if (this.#link) this.#link.text += piece.text;
    } else if (piece.kind === 'raw') this.#raw(piece);
    else {
      if (!INLINE.has(piece.name)) this.#flush();
      if (piece.name === 'a') this.#anchor(piece);
      if (piece.name === 'meta' && attribute(piece.attributes, 'property') === 'og:site_name') {
        this.#titles.push(attribute(piece.attributes, 'content'));
      }
      this.#nest(piece);
    }
  }

  end(): PageDocument {
    this.#flush();
    const texts = decodedAll(this.#lines.map(({ text }) => text));
    const links = this.#links.slice(-MAX_LINKS);
    const hrefs = decodedAll(links.map(({ href }) => href));
    const linkTexts = decodedAll(links.map(({ text }) => text));
    return {
      title: plain(decoded(this.#titles.join(' '))),
      lines: this.#lines.map(({ inFooter }, i) => ({ text: plain(texts[i] ?? ''), inFooter })).filter(({ text }) => text !== ''),
      links: links.map((_, i) => ({ href: hrefs[i] ?? '', text: plain(linkTexts[i] ?? '') })),
      jsonLd: this.#jsonLd,
    };
  }

  #raw({ name, attributes, text }: Raw): void {
    if (name === 'title' && this.#titles.length === 0) this.#titles.push(text);
    if (name === 'script' && /\btype\s*=\s*["']?application\/ld\+json/i.test(attributes)) this.#jsonLd.push(text);
  }

  #anchor({ kind, attributes }: Tag): void {
    this.#link = kind === 'open' ? { href: attribute(attributes, 'href'), text: '' } : null;
    if (this.#link) this.#links.push(this.#link);
  }

  #nest({ kind, name, attributes }: Tag): void {
    if (this.#footer?.name === name) {
      this.#footer.depth += kind === 'open' ? 1 : -1;
      if (this.#footer.depth === 0) this.#footer = null;
    } else if (!this.#footer && kind === 'open' && !INLINE.has(name) && !NO_SECTION.has(name)) {
      const isFooter = name === 'footer' || FOOTER.test(`${attribute(attributes, 'class')} ${attribute(attributes, 'id')}`);
      if (isFooter) this.#footer = { name, depth: 1 };
    }
  }

  #flush(): void {
    if (/\S/.test(this.#line)) this.#lines.push({ text: this.#line.replace(/\s+/g, ' '), inFooter: this.#footer !== null });
    this.#line = '';
  }
}

/** Text between tags as in the source, with undecoded character references (`&amp;`). */
interface Words {
  readonly kind: 'words';
  readonly text: string;
}

interface Tag {
  readonly kind: 'open' | 'close';
  readonly name: string;
  readonly attributes: string;
}

/** An element with its complete content, unparsed. */
interface Raw {
  readonly kind: 'raw';
  readonly name: string;
  readonly attributes: string;
  readonly text: string;
}

/** Elements whose content is not parsed, because it is not visible text, or has no markup. */
const RAW = new Set('script style title textarea noscript template svg iframe object select'.split(' '));
const MAX_TAG = 4_000;

/**
 * Splits a page into text, tags and raw elements, in one pass from left to right. It builds no tree: deeply nested hostile pages keep
 * a tree builder busy for minutes, and the owner search only needs lines.
 */
function* markup(html: string): Generator<Words | Tag | Raw> {
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
    if (end === -1) return; // the page is cut in the middle of a tag
    at = end + (comment ? 3 : 1);
    if (!name) continue;
    const attributes = html.slice(begin, Math.min(end, begin + MAX_TAG));
    if (slash || !RAW.has(name)) yield { kind: slash ? 'close' : 'open', name, attributes };
    else {
      const close = lower.indexOf(`</${name}`, at);
      yield { kind: 'raw', name, attributes, text: html.slice(at, close === -1 ? undefined : close) };
      if (close === -1) return;
      at = html.indexOf('>', close) + 1 || html.length;
    }
  }
}

/** Returns the undecoded value of an attribute in the source of a tag; empty if the tag does not have it. */
function attribute(attributes: string, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(attributes);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? '';
}

/** Decodes character references: `&amp;` becomes `&`. */
const decoded = (text: string): string => (text.includes('&') ? load(text.replaceAll('<', '&lt;'), null, false).text() : text);

/** Decodes texts together, which is much faster than one by one. Line breaks become blanks. */
const decodedAll = (texts: readonly string[]): readonly string[] =>
  decoded(texts.map((text) => text.replace(/[\r\n]+/g, ' ')).join('\n')).split('\n');

/** Makes a text storable, normalises blanks and dashes, and removes invisible characters. */
export const plain = (text: string): string =>
  storable(text, MAX_LINE)
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/[\u2010-\u2015\u2212\ufe58\ufe63]/g, '-')
    .replace(/\s+/g, ' ')
    .trim();
