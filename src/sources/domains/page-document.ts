import { load } from 'cheerio';

/** One line of a page as a reader sees it. */
export interface PageLine {
  /** Blanks of any kind are single blanks, dashes of any kind are `-`. */
  readonly text: string;
  readonly inFooter: boolean;
}

export interface PageLink {
  readonly href: string;
  readonly text: string;
}

/** What a page says, as far as it is wanted here. */
export interface PageDocument {
  /** Of the page, and of the site where it is stated. */
  readonly title: string;
  readonly lines: readonly PageLine[];
  readonly links: readonly PageLink[];
  /** Blocks of structured data, unparsed. */
  readonly jsonLd: readonly string[];
}

/** Elements that run on in the line they stand in. */
const INLINE = new Set('a abbr b bdi cite code data em font i mark q s small span strong sub sup time u wbr'.split(' '));
/** Elements whose class says nothing of the text that follows. */
const NO_SECTION = new Set('html body area base br col embed hr img input link meta source track'.split(' '));
const FOOTER = /footer|rodape|(?:^|[\s_-])pie(?:$|[\s_-])/i;

/** Characters. */
const MAX_END_CHARACTERS = 256 * 1024;

/** HTML → what it says. Takes time and space in proportion to its length, however it is made. */
export function readDocument(html: string): PageDocument {
  const reader = new Reader();
  for (const piece of markup(ends(html))) reader.take(piece);
  return reader.end();
}

/** Of a long page the beginning and the end: heads have the data, footers the tax ids, and reading holds up everybody else. */
const ends = (html: string): string =>
  html.length <= 2 * MAX_END_CHARACTERS ? html : `${html.slice(0, MAX_END_CHARACTERS)}\n${html.slice(-MAX_END_CHARACTERS)}`;

class Reader {
  readonly #titles: string[] = [];
  readonly #jsonLd: string[] = [];
  readonly #links: { readonly href: string; text: string }[] = [];
  readonly #lines: { readonly text: string; readonly inFooter: boolean }[] = [];
  #line = '';
  /** The link whose text is being read. */
  #link: { readonly href: string; text: string } | null = null;
  /** The element that made a footer begin, and how many of its name are open since. */
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
    // All lines are decoded as one text: one by one would take far longer.
    const texts = decoded(this.#lines.map(({ text }) => text).join('\n')).split('\n');
    return {
      title: plain(this.#titles.join(' ')),
      lines: this.#lines.map(({ inFooter }, i) => ({ text: plain(texts[i] ?? ''), inFooter })).filter(({ text }) => text !== ''),
      links: this.#links.map(({ href, text }) => ({ href, text: plain(decoded(text)) })),
      jsonLd: this.#jsonLd,
    };
  }

  #raw({ name, attributes, text }: Raw): void {
    if (name === 'title' && this.#titles.length === 0) this.#titles.push(decoded(text));
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

/** Words between tags, as written: references (`&amp;`) and all. */
interface Words {
  readonly kind: 'words';
  readonly text: string;
}

interface Tag {
  readonly kind: 'open' | 'close';
  readonly name: string;
  readonly attributes: string;
}

/** An element with all that is in it, unparsed. */
interface Raw {
  readonly kind: 'raw';
  readonly name: string;
  readonly attributes: string;
  readonly text: string;
}

/** Elements that hold no text of the page, or text only. */
const RAW = new Set('script style title textarea noscript template svg iframe object select'.split(' '));
const MAX_TAG = 4_000;

/**
 * A page → its markup, in one pass from left to right. No tree is built: a page made to nest without end keeps a tree builder busy for
 * minutes, and what is wanted here stands in the lines.
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
    if (end === -1) return; // cut in the middle of a tag
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

/** The value of an attribute in a tag as written; empty where it has none. */
function attribute(attributes: string, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(attributes);
  return decoded(found?.[1] ?? found?.[2] ?? found?.[3] ?? '');
}

/** Text as written → as read: `&amp;` is `&`. */
const decoded = (text: string): string => (text.includes('&') ? load(text.replaceAll('<', '&lt;'), null, false).text() : text);

/** Text with its blanks and dashes made plain, and what cannot be seen left out. */
export const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/[\u2010-\u2015\u2212\ufe58\ufe63]/g, '-')
    .replace(/\s+/g, ' ')
    .trim();
