import { type CheerioAPI, load } from 'cheerio';

/** A page as it came, and what the name servers say of its domain. Plain data: it goes to another thread. */
export interface PageVisit {
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly html: string;
  /** Record kind in lower case (`mx`, `txt`, `ns`) → values. */
  readonly dns: Readonly<Record<string, readonly string[]>>;
}

/** What fingerprints look at. Texts are capped: some patterns take their time. */
export interface PageFacts {
  readonly url: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly cookies: Readonly<Record<string, readonly string[]>>;
  /** `<meta>` by name and by property; a page may carry several of one name. */
  readonly meta: Readonly<Record<string, readonly string[]>>;
  readonly dns: Readonly<Record<string, readonly string[]>>;
  readonly html: string;
  readonly text: string;
  readonly scriptSrc: readonly string[];
  readonly scripts: readonly string[];
  readonly css: string;
  readonly document: CheerioAPI;
}

const MOST_HTML = 200_000;
const MOST_SCRIPT = 20_000;
const MOST_SCRIPTS = 100;
const MOST_TEXT = 50_000;

export function factsOf({ url, headers, html, dns }: PageVisit): PageFacts {
  const document = load(html);
  const scripts = document('script').toArray();
  return {
    url,
    headers,
    cookies: grouped((headers['set-cookie'] ?? []).map((cookie) => splitOnce(cookie.split(';')[0] ?? '', '='))),
    meta: grouped(
      document('meta[content]')
        .toArray()
        .flatMap(({ attribs: { name, property, content = '' } }) =>
          [name, property].flatMap((key) => (key ? [[key, content] as const] : [])),
        ),
    ),
    dns,
    html: html.slice(0, MOST_HTML),
    text: document('body').text().replace(/\s+/g, ' ').slice(0, MOST_TEXT),
    scriptSrc: scripts
      .flatMap(({ attribs: { src } }) => (src ? [src] : []))
      .concat(
        document('link[as=script][href]')
          .toArray()
          .flatMap(({ attribs: { href } }) => href ?? []),
      )
      .slice(0, 3 * MOST_SCRIPTS),
    scripts: scripts
      .map((script) => document(script).text().slice(0, MOST_SCRIPT))
      .filter(Boolean)
      .slice(0, MOST_SCRIPTS),
    css: document('style').text().slice(0, MOST_HTML),
    document,
  };
}

function splitOnce(text: string, by: string): readonly [string, string] {
  const at = text.indexOf(by);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function grouped(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const groups: Record<string, string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    const key = name.trim().toLowerCase();
    groups[key] = [...(groups[key] ?? []), value.trim()];
  }
  return groups;
}
