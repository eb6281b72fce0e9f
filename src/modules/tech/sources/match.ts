import { type CheerioAPI, load } from 'cheerio';
import type { Sign } from '../domain.ts';
import { type ElementRule, type Fingerprint, type NamedRules, type Pattern, versionOf } from './fingerprints.ts';
import { namesHost } from './hosts.ts';
import { OwnSite } from './own-site.ts';

/** Weight of plain words in a page, because an article about a product contains them, too. */
const PLAIN_WORDS_WEIGHT = 0.4;

type Match = Omit<Sign, 'technology'>;

/** Finds all signs of all technologies on a page. */
export const signsOf = (facts: PageFacts, fingerprints: readonly Fingerprint[]): readonly Sign[] =>
  fingerprints.flatMap((fingerprint) => matchesOf(facts, fingerprint).map((match) => ({ technology: fingerprint.name, ...match })));

const matchesOf = (facts: PageFacts, rules: Fingerprint): readonly Match[] => {
  // A product that runs on a server is detected by the site's own paths. A script runs on the page, whatever host serves it.
  const paths = rules.isOnServer ? facts.own : facts.whole;
  const found = (patterns: readonly Pattern[], textsOf: (view: View) => readonly string[]) =>
    patterns.flatMap((pattern) => {
      const ofHosts = pattern.namesHost
        ? signs([pattern], textsOf(facts.whole), ({ 0: text }) => !rules.isOnServer || namesHost(text))
        : [];
      return ofHosts.length > 0 ? ofHosts : signs([pattern], textsOf(paths));
    });
  const html = (isMarkup: boolean) =>
    found(
      rules.html.filter((pattern) => pattern.isMarkup === isMarkup),
      (view) => [view.html],
    );
  return [
    ...namedSigns(rules.headers, facts.headers),
    ...namedSigns(rules.cookies, facts.cookies),
    ...namedSigns(rules.meta, paths.meta),
    ...namedSigns(rules.dns, facts.dns),
    ...signs(rules.url, [facts.url]),
    ...found(rules.scriptSrc, ({ scriptSrc }) => scriptSrc),
    ...found(rules.scripts, ({ scripts }) => scripts),
    ...found(rules.css, ({ css }) => [css]),
    ...weak(html(false)),
    ...html(true),
    ...weak(found(rules.text, ({ text }) => [text])),
    ...rules.dom.flatMap((rule) => elementSigns(rule, rule.namesHost ? facts.whole : paths)),
  ];
};

const weak = (matches: readonly Match[]): readonly Match[] =>
  matches.map((one) => ({ ...one, confidence: one.confidence * PLAIN_WORDS_WEIGHT }));

/** Returns one sign per pattern that matches, with the longest version, however many texts match it. */
function signs(
  patterns: readonly Pattern[],
  texts: readonly string[],
  counts: (match: RegExpExecArray) => boolean = () => true,
): readonly Match[] {
  return patterns.flatMap((pattern) => {
    const found = texts
      .map((text) => pattern.regex.exec(text))
      .filter((match) => match !== null)
      .filter(counts);
    if (found.length === 0) return [];
    const versions = found.map((match) => versionOf(pattern, match)).sort((a, b) => b.length - a.length);
    return [{ confidence: pattern.confidence, version: versions[0] ?? '' }];
  });
}

function namedSigns(rules: NamedRules, values: Readonly<Record<string, readonly string[]>>): readonly Match[] {
  return rules.flatMap(([name, patterns]) => signs(patterns, valuesOf(name, values)));
}

function valuesOf(name: string, values: Readonly<Record<string, readonly string[]>>): readonly string[] {
  if (!name.endsWith('*')) return values[name] ?? [];
  const start = name.slice(0, -1);
  return Object.entries(values).flatMap(([key, texts]) => (key.startsWith(start) ? texts : []));
}

function elementSigns({ selector, attributes, text }: ElementRule, { document }: View): readonly Match[] {
  const elements = document(selector).slice(0, 20);
  if (elements.length === 0) return [];
  if (attributes.length === 0 && text.length === 0) return [{ confidence: 100, version: '' }];
  const ofAttributes = attributes.flatMap(([name, patterns]) =>
    signs(
      patterns,
      elements.toArray().flatMap((element) => document(element).attr(name) ?? []),
    ),
  );
  return [
    ...ofAttributes,
    ...signs(
      text,
      elements.toArray().map((element) => document(element).text()),
    ),
  ];
}

/** A page as received, and the DNS records of its domain. They are plain data, because they are sent to another process. */
export interface FetchedPage {
  readonly url: string;
  /** Keyed by lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly html: string;
  /** Record kind in lower case (`mx`, `txt`, `ns`) → values. */
  readonly dns: Readonly<Record<string, readonly string[]>>;
}

/** The parts of a page that fingerprints match. Texts are capped, because some patterns are slow on long texts. */
export interface PageFacts {
  /** URL without its query string, which a caller may have chosen. */
  readonly url: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly cookies: Readonly<Record<string, readonly string[]>>;
  readonly dns: Readonly<Record<string, readonly string[]>>;
  readonly whole: View;
  /** The page with only the host of each address of another site. */
  readonly own: View;
}

/** The text of a page, in parts. */
interface View {
  /** `<meta>` by name and by property; a page may have several with one name. */
  readonly meta: Readonly<Record<string, readonly string[]>>;
  readonly html: string;
  readonly text: string;
  readonly scriptSrc: readonly string[];
  readonly scripts: readonly string[];
  readonly css: string;
  readonly document: CheerioAPI;
}

const MAX_HTML = 200_000;
const MAX_SCRIPT = 20_000;
const MAX_SCRIPTS = 100;
const MAX_TEXT = 50_000;

export function factsOf({ url, headers, html: received, dns }: FetchedPage): PageFacts {
  const page = new URL(url);
  const site = new OwnSite(page);
  const html = site.withoutQuery(received);
  const whole = viewOf(html);
  const base = whole.document('base[href]').first().attr('href');
  const ownHtml = site.withoutOthersLinks(html, base);
  return {
    url: page.origin + page.pathname,
    headers: Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.map((value) => site.withoutQuery(value))])),
    cookies: grouped((headers['set-cookie'] ?? []).map((cookie) => splitOnce(cookie.split(';')[0] ?? '', '='))),
    dns,
    whole,
    own: ownHtml === html ? whole : viewOf(ownHtml),
  };
}

function viewOf(html: string): View {
  const document = load(html);
  const scripts = document('script').toArray();
  return {
    meta: grouped(
      document('meta[content]')
        .toArray()
        .flatMap(({ attribs: { name, property, content = '' } }) =>
          [name, property].flatMap((key) => (key ? [[key, content] as const] : [])),
        ),
    ),
    html: html.slice(0, MAX_HTML),
    text: document('body').text().replace(/\s+/g, ' ').slice(0, MAX_TEXT),
    scriptSrc: scripts
      .flatMap(({ attribs: { src } }) => (src ? [src] : []))
      .concat(
        document('link[as=script][href]')
          .toArray()
          .flatMap(({ attribs: { href } }) => href ?? []),
      )
      .slice(0, 3 * MAX_SCRIPTS),
    scripts: scripts
      .map((script) => document(script).text().slice(0, MAX_SCRIPT))
      .filter(Boolean)
      .slice(0, MAX_SCRIPTS),
    css: document('style').text().slice(0, MAX_HTML),
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
    groups[key] ??= [];
    groups[key].push(value.trim());
  }
  return groups;
}
