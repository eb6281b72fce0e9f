import { invalidInput, sourceUnavailable } from '../../domain/errors.ts';
import type { Page, PageOutcome, Site, Website } from '../website/website.ts';
import { type DomainKey, registrable } from './domain.ts';
import type { PageSightings } from './owner.ts';
import { type PageLink, readDocument } from './page-document.ts';
import { readPage } from './read-page.ts';
import type { PageCountry } from './tax-numbers.ts';

/** Result of reading a site. */
interface SiteReading {
  /** `read`; `robots`: robots.txt disallows reading; `no_such_name`: the name is not in the DNS. */
  readonly outcome: 'read' | 'robots' | 'no_such_name';
  /** The front page first. */
  readonly pages: readonly PageSightings[];
  /** True when a page that the site links to could not be fetched. */
  readonly incomplete: boolean;
}

/** Most pages read after the first one. */
const MORE_PAGES = 4;

/**
 * Reads the front page of a site, then its legal, privacy, contact and about pages: those it links to, and if these do not name one
 * company clearly, those at usual paths; at most four.
 * @throws AppError SOURCE_UNAVAILABLE when the front page cannot be fetched, INVALID_INPUT for a URL that is never fetched
 */
export async function readSite(website: Website, { domain, start }: DomainKey, country: PageCountry): Promise<SiteReading> {
  const site = await website.open(start === null ? domain : new URL(start));
  const { entry } = site;
  if (entry.kind === 'no_such_name' || entry.kind === 'robots') return { outcome: entry.kind, pages: [], incomplete: false };
  if (entry.kind === 'unreachable' && entry.reason === 'bad_url') {
    throw invalidInput('domain', 'A site is read over http or https, on port 80, 443, 8080 or 8443.');
  }
  if (entry.kind === 'unreachable' || isTemporaryFailure(entry)) throw sourceUnavailable('website', `the front page: ${entry.kind}`);
  const read = new Reading(site, country, entry.kind === 'page' ? entry.page.url : entry.url);
  if (entry.kind === 'page') read.add(entry.page);
  const incomplete = (await read.fetch(read.links)).some(isTemporaryFailure);
  const front = new URL('/', read.front);
  for (
    let guesses = read.notRequested([front, ...usualPages(front, country)]);
    guesses.length > 0 && !read.isClear;
    guesses = guesses.slice(MORE_PAGES)
  ) {
    await read.fetch(guesses.slice(0, MORE_PAGES));
  }
  return { outcome: 'read', pages: read.pages, incomplete };
}

/** True for an outcome that a later try may change: unreachable, a bot wall or a 5xx. */
const isTemporaryFailure = (outcome: PageOutcome): boolean =>
  outcome.kind === 'unreachable' || outcome.kind === 'challenge' || (outcome.kind === 'status' && outcome.status >= 500);

/** State of reading one site. Reads each page once, however many links lead to it. */
class Reading {
  readonly pages: PageSightings[] = [];
  /** Links of the first page to legal, privacy, contact and about pages. */
  links: readonly URL[] = [];
  readonly front: URL;
  readonly #site: Site;
  readonly #country: PageCountry;
  readonly #requested = new Set<string>();
  readonly #html = new Set<string>();

  constructor(site: Site, country: PageCountry, front: URL) {
    this.#site = site;
    this.#country = country;
    this.front = front;
    this.#requested.add(front.href);
  }

  /** Reads a page unless its HTML equals that of an earlier one: many sites answer every path with their front page. */
  add({ url, html }: Page): void {
    if (this.#html.has(html)) return;
    this.#html.add(html);
    const document = readDocument(html);
    if (this.pages.length === 0) this.links = legalLinks(document.links, url, MORE_PAGES);
    this.pages.push(readPage(document, url.href, this.#country));
  }

  /** Returns the URLs that were not requested yet. */
  notRequested(urls: readonly URL[]): readonly URL[] {
    return urls.filter(({ href }) => !this.#requested.has(href));
  }

  /** Fetches pages concurrently and reads them up to the limit of pages. */
  async fetch(urls: readonly URL[]): Promise<readonly PageOutcome[]> {
    for (const { href } of urls) this.#requested.add(href);
    const outcomes = await Promise.all(urls.map((url) => this.#site.page(url)));
    for (const outcome of outcomes) if (outcome.kind === 'page' && this.pages.length <= MORE_PAGES) this.add(outcome.page);
    return outcomes;
  }

  /** True when the pages mention exactly one company, at least once with a label and outside a credit; or when the limit of pages is reached. */
  get isClear(): boolean {
    const named = this.pages.flatMap(({ sightings }) => sightings);
    const firm = named.some(({ kind, credit }) => kind !== 'unlabelled' && !credit);
    return this.pages.length > MORE_PAGES || (firm && new Set(named.map(({ taxId }) => taxId)).size === 1);
  }
}

/** Pages that say who is behind a site, the likeliest first; as links name them, accents set aside. */
const KINDS: readonly RegExp[] = [
  /aviso.?legal|legales|terminos|condiciones|termos|condicoes|\blegal\b|terms/,
  /privaci|privacid|privacy/,
  /contact|contato|fale.?conosco/,
  /nosotros|quienes.?somos|quem.?somos|acerca|sobre|empresa|institucional|about/,
];

const USUAL_PATHS: Readonly<Record<PageCountry, readonly string[]>> = {
  CL: ['/contacto', '/terminos-y-condiciones', '/politica-de-privacidad', '/nosotros', '/terminos', '/quienes-somos', '/aviso-legal'],
  BR: ['/contato', '/termos-de-uso', '/politica-de-privacidade', '/sobre', '/quem-somos', '/termos', '/institucional'],
};

/** Usual URLs of such pages when nothing links to them, the likeliest first. */
const usualPages = (front: URL, country: PageCountry): readonly URL[] => USUAL_PATHS[country].map((path) => new URL(path, front));

/** Returns links of a page to the site's own legal, privacy, contact and about pages: at most `most`, taken from each kind in turn. */
function legalLinks(links: readonly PageLink[], page: URL, most: number): readonly URL[] {
  const byKind = KINDS.map(() => new Map<string, URL>());
  for (const { href, text } of links.slice(-MAX_LINKS)) {
    const url = URL.parse(href, page.href);
    if (!url || !/^https?:$/.test(url.protocol) || url.port !== page.port || registrable(url.hostname) !== registrable(page.hostname))
      continue;
    url.hash = '';
    if (url.href === page.href || NO_PAGE.test(url.pathname)) continue;
    const words = `${text.slice(0, 200)} ${url.pathname}`.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    byKind[KINDS.findIndex((pattern) => pattern.test(words))]?.set(url.href, url);
  }
  // Takes one of each kind in turn, so that ten "terms" pages do not displace the one contact page.
  const columns = byKind.map((found) => [...found.values()]);
  const inTurn = Array.from({ length: most }, (_, i) => columns.flatMap((column) => column[i] ?? []));
  return inTurn.flat().slice(0, most);
}

/** Most links searched, from the end of the page, where legal links usually are. */
const MAX_LINKS = 5_000;
const NO_PAGE = /\.(?:pdf|docx?|xlsx?|jpe?g|png|zip)$/i;
