import type { Relations } from '../domain.ts';
import { namesHost } from './hosts.ts';

export interface ElementRule {
  readonly selector: string;
  /** Attribute name → patterns. Without attributes and text the presence of the element is a match. */
  readonly attributes: readonly (readonly [name: string, patterns: readonly Pattern[]])[];
  readonly text: readonly Pattern[];
  readonly namesHost: boolean;
}

/** Named texts (headers, cookies, …): name in lower case → patterns of its values. A name may end in `*`. */
export type NamedRules = readonly (readonly [name: string, patterns: readonly Pattern[]])[];

/** The compiled rules of one technology. */
export interface Fingerprint {
  readonly name: string;
  /** True for a product that runs on the server of a site, such as a CMS and its plugins; false for a script in the browser. */
  readonly isOnServer: boolean;
  readonly headers: NamedRules;
  readonly cookies: NamedRules;
  readonly meta: NamedRules;
  readonly dns: NamedRules;
  readonly html: readonly Pattern[];
  readonly text: readonly Pattern[];
  readonly scripts: readonly Pattern[];
  readonly css: readonly Pattern[];
  readonly url: readonly Pattern[];
  readonly scriptSrc: readonly Pattern[];
  readonly dom: readonly ElementRule[];
}

export interface FingerprintSet {
  readonly fingerprints: readonly Fingerprint[];
  readonly relations: ReadonlyMap<string, Relations>;
  readonly categories: ReadonlyMap<number, string>;
}

/** Reads and compiles the published set and the patches. Takes about 50 ms. */
export async function loadFingerprints(): Promise<FingerprintSet> {
  const [technologies, categories] = await Promise.all([
    import('./fingerprints/technologies.json', { with: { type: 'json' } }),
    import('./fingerprints/categories.json', { with: { type: 'json' } }),
  ]);
  const raw: Record<string, RawFingerprint> = { ...(technologies.default as unknown as Record<string, RawFingerprint>), ...ADDED };
  for (const name of DROPPED) delete raw[name];
  const all = Object.entries(raw);
  return {
    fingerprints: all.map(([name, fingerprint]) => compile(name, fingerprint, isOnServer(fingerprint, raw))),
    relations: new Map(all.map(([name, fingerprint]) => [name, relationsOf(fingerprint)])),
    categories: new Map(Object.entries(categories.default).map(([id, name]) => [Number(id), name])),
  };
}

function asList<T>(items: T | readonly T[] | undefined): readonly T[] {
  if (items === undefined) return [];
  return Array.isArray(items) ? items : [items as T];
}

const patterns = (texts: Texts | undefined): readonly Pattern[] => asList(texts).map(compilePattern);

const named = (rules: ByName = {}): NamedRules =>
  Object.entries(rules).map(([name, texts]) => [name.toLowerCase(), patterns(texts)] as const);

/**
 * Categories of technologies that run on servers: content, shops and their parts, frameworks and languages of servers, servers and
 * hosting. Their names are in `fingerprints/categories.json`.
 */
const ON_SERVER = new Set([
  ...[1, 2, 3, 4, 6, 7, 8, 9, 11, 13, 18, 20, 21, 22, 23, 27, 28, 30, 33, 34, 37, 38, 39, 44, 45, 46, 48, 50, 51, 57, 60, 62, 63, 64, 65],
  ...[80, 81, 82, 87, 88, 108],
]);

/** True for a technology that runs on servers or implies one that does, as a framework of browsers and servers implies Node.js. */
function isOnServer(raw: RawFingerprint, all: Readonly<Record<string, RawFingerprint>>): boolean {
  const implied = relationsOf(raw).implies.flatMap(({ name }) => all[name]?.cats ?? []);
  return [...(raw.cats ?? []), ...implied].some((category) => ON_SERVER.has(category));
}

const compile = (name: string, raw: RawFingerprint, isOnServer: boolean): Fingerprint => ({
  name,
  isOnServer,
  headers: named(raw.headers),
  cookies: named(raw.cookies),
  meta: named(raw.meta),
  dns: named(raw.dns),
  html: patterns(raw.html),
  text: patterns(raw.text),
  scripts: patterns(raw.scripts),
  css: patterns(raw.css),
  url: patterns(raw.url),
  scriptSrc: patterns(raw.scriptSrc),
  dom: elements(raw.dom),
});

function elements(dom: RawFingerprint['dom']): readonly ElementRule[] {
  if (dom === undefined) return [];
  if (typeof dom === 'string' || Array.isArray(dom))
    return asList<string>(dom as Texts).map((selector) => ({ selector, attributes: [], text: [], namesHost: namesHost(selector) }));
  return Object.entries(dom as Readonly<Record<string, RawElement>>)
    .filter(([, { properties }]: [string, RawElement & { properties?: unknown }]) => properties === undefined) // `properties` exist in a browser only
    .map(([selector, { attributes, text }]) => ({
      selector,
      attributes: named(attributes),
      text: patterns(text),
      namesHost: namesHost(selector) || Object.values(attributes ?? {}).some((texts) => asList<string>(texts).some(namesHost)),
    }));
}

function relationsOf(raw: RawFingerprint): Relations {
  return {
    categories: raw.cats ?? [],
    implies: asList(raw.implies).map((text) => {
      const [name = '', ...tags] = text.split('\\;');
      return { name, confidence: Number(tags.find((tag) => tag.startsWith('confidence:'))?.slice('confidence:'.length) ?? 100) };
    }),
    excludes: asList(raw.excludes),
    requires: asList(raw.requires),
    requiresCategories: asList(raw.requiresCategory),
  };
}

/** Technologies whose rules give false matches: the second alternative of Choices matches any address with "css" in it. */
export const DROPPED: readonly string[] = ['Choices'];

/**
 * Rules that the published set lacks: for frameworks that it detects in a browser only, and for payment services of Latin America. They
 * replace published rules of the same name.
 */
export const ADDED: Readonly<Record<string, RawFingerprint>> = {
  'Next.js': {
    cats: [18, 22],
    headers: { 'x-powered-by': '^Next\\.js ?([0-9.]+)?\\;version:\\1' },
    dom: ['script#__NEXT_DATA__'],
    scriptSrc: ['/_next/static/'],
    implies: ['React', 'webpack', 'Node.js'],
  },
  'Nuxt.js': {
    cats: [12, 18, 22, 57],
    dom: ['#__nuxt', '#__NUXT_DATA__'],
    html: ['<script [^>]*>window\\.__NUXT__'],
    scriptSrc: ['/_nuxt/'],
    implies: ['Vue.js', 'Node.js'],
  },
  // Its client is in pages whose own site does not run Node.js, such as those with a partner's chat.
  'Socket.io': { cats: [12], scriptSrc: ['socket\\.io.*\\.js'] },
  Remix: { cats: [18, 22], scripts: ['window\\.__remixContext'], implies: ['React'] },
  SvelteKit: {
    cats: [66],
    dom: ['#svelte-announcer'],
    scripts: ['__sveltekit_'],
    scriptSrc: ['/_app/immutable/'],
    implies: ['Svelte', 'Node.js', 'Vite'],
  },
  'Transbank Webpay': {
    cats: [41],
    scriptSrc: ['webpay3g(?:int)?\\.transbank\\.cl'],
    dom: ["form[action*='transbank.cl']", "img[src*='webpay' i]"],
    html: ['<[^>]+webpay3g(?:int)?\\.transbank\\.cl'],
  },
  'Mercado Pago': {
    cats: [41],
    scriptSrc: [
      'sdk\\.mercadopago\\.com',
      'secure\\.mlstatic\\.com/(?:sdk/javascript|mptools)',
      'mercadopago\\.com/(?:integrations|checkout|v\\d)',
    ],
    dom: ["form[action*='mercadopago.com']", "a[href*='mercadopago.com/checkout' i]", "a[href*='mpago.la']"],
  },
  Wompi: { cats: [41], scriptSrc: ['(?:checkout|cdn)\\.wompi\\.co'], dom: ["form[action*='checkout.wompi.co']"] },
  PayU: {
    cats: [41],
    scriptSrc: ['(?:gateway|checkout|maf|ecommerce)\\.(?:\\w+\\.)?payulatam\\.com'],
    dom: ["form[action*='payulatam.com']", "a[href*='payulatam.com']"],
  },
  Khipu: {
    cats: [41],
    scriptSrc: ['(?:khipu\\.com|khenshin)'],
    dom: ["form[action*='khipu.com/payment']", "a[href*='khipu.com/payment']"],
  },
  'Flow.cl': { cats: [41], dom: ["form[action*='flow.cl/']", "a[href*='flow.cl/btn']", "a[href*='flow.cl/app/web']"] },
  Tiendanube: { cats: [6], scriptSrc: ['\\b[ad]cdn(?:-us)?\\.mitiendanube\\.com'] },
  Culqi: { cats: [41], scriptSrc: ['(?:checkout|js)\\.culqi\\.com'] },
};

/** Types of the published fingerprints (JSON), and the compiler of their patterns. */

type Texts = string | readonly string[];
type ByName = Readonly<Record<string, Texts>>;

/** Conditions on an element besides its selector: attributes, text. `exists` and other properties add no condition. */
interface RawElement {
  readonly attributes?: ByName;
  readonly text?: Texts;
}

/** A technology in the published form, where any list may be a single item. */
interface RawFingerprint {
  readonly cats?: readonly number[];
  readonly headers?: ByName;
  readonly cookies?: ByName;
  readonly meta?: ByName;
  readonly dns?: ByName;
  readonly html?: Texts;
  readonly text?: Texts;
  readonly scripts?: Texts;
  readonly css?: Texts;
  readonly url?: Texts;
  readonly scriptSrc?: Texts;
  readonly dom?: Texts | Readonly<Record<string, RawElement>>;
  readonly implies?: Texts;
  readonly excludes?: Texts;
  readonly requires?: Texts;
  readonly requiresCategory?: number | readonly number[];
}

/** One rule of a fingerprint: a matching text is a sign of the technology. */
export interface Pattern {
  readonly regex: RegExp;
  /** Confidence from 0 to 100. */
  readonly confidence: number;
  /** Template of the version, e.g. `\1` or `\1?a:b`; empty for none. */
  readonly version: string;
  /** False for plain words, which also match an article about a product. */
  readonly isMarkup: boolean;
  readonly namesHost: boolean;
}

/** Maximum number of repetitions, because unbounded repetition over a long page makes patterns backtrack. */
const MAX_REPETITIONS = 250;

/**
 * Compiles a pattern in the published form, `regular expression\;confidence:50\;version:\1`, case-insensitive.
 * @throws SyntaxError for an expression that is invalid in JavaScript
 */
export function compilePattern(text: string): Pattern {
  const [expression = '', ...tags] = text.split('\\;');
  const tag = (name: string): string | undefined => tags.find((one) => one.startsWith(`${name}:`))?.slice(name.length + 1);
  return {
    regex: new RegExp(bounded(expression), 'i'),
    confidence: Number(tag('confidence') ?? 100),
    version: tag('version') ?? '',
    isMarkup: /[<="/]/.test(expression),
    namesHost: namesHost(expression),
  };
}

/** Replaces `+` and `*` outside character classes by `{1,250}` and `{0,250}`. */
function bounded(expression: string): string {
  const parts: string[] = [];
  /** End of the written text. It is long enough to contain a quantifier, and short, so that the work stays linear. */
  let tail = '';
  let inClass = false;
  const write = (part: string): void => {
    parts.push(part);
    tail = (tail + part).slice(-16);
  };
  for (let i = 0; i < expression.length; i += 1) {
    const character = expression.charAt(i);
    if (character === '\\') {
      write(character + expression.charAt(i + 1));
      i += 1;
      continue;
    }
    if (character === '[') inClass = true;
    if (character === ']') inClass = false;
    const isRepetition = !inClass && (character === '+' || character === '*');
    write(isRepetition && !isQuantified(tail) ? `{${character === '+' ? 1 : 0},${MAX_REPETITIONS}}` : character);
  }
  return parts.join('');
}

/** Returns true after a quantifier: the next character then sets its greediness. */
const isQuantified = (before: string): boolean => /(?<!\\)(?:\{\d{1,4}(?:,\d{0,4})?\}|(?<=[^\\(])\?)$/.test(before);

/** Derives the version from a match by the pattern's template; empty for none. */
export function versionOf({ version }: Pattern, match: RegExpExecArray): string {
  return version
    .replace(/\\(\d)\?([^:]{0,99}):([\s\S]*)$/, (_whole, group: string, given: string, missing: string) =>
      match[Number(group)] ? given : missing,
    )
    .replace(/\\(\d)/g, (_whole, group: string) => match[Number(group)] ?? '')
    .trim();
}
