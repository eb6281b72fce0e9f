import { invalidInput, sourceUnavailable } from '../../domain/errors.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { siteMessages } from '../../messages/sources.ts';
import { createReadingProcesses } from '../reading-process/reading-process.ts';
import type { Page, PageOutcome, Site, Website } from '../website/website.ts';
import type { DomainKey } from './domain.ts';
import type { PageSightings } from './owner.ts';
import type { PageReading, PageTask } from './page-process.ts';
import type { PageCountry } from './tax-numbers.ts';

/** Result of reading a site. */
interface SiteReading {
  /** `read`; `robots`: robots.txt disallows reading; `no_such_name`: the name is not in the DNS. */
  readonly outcome: 'read' | 'robots' | 'no_such_name';
  /** Pages that were read, the front page first. */
  readonly pages: readonly PageSightings[];
  /** True when a page that the site links to could not be fetched. */
  readonly incomplete: boolean;
}

/** Maximum number of pages read after the first one. */
const MORE_PAGES = 4;

const readers = createReadingProcesses<PageTask, PageReading>({
  beside: import.meta.url,
  name: 'page-process',
  processes: 2,
  perCaller: 1,
  deadlineMs: 5 * SECOND_MS, // a page takes some 20 ms
});

/**
 * Reads the front page of a site, then its legal, privacy, contact and about pages: linked pages first and, if these do not name one
 * company clearly, pages at usual paths; at most four.
 * @throws AppError SOURCE_UNAVAILABLE when the front page cannot be fetched or a page takes too long to read, INVALID_INPUT for a URL that
 * is never fetched
 */
export async function readSite(website: Website, { domain, start }: DomainKey, country: PageCountry): Promise<SiteReading> {
  const site = await website.open(start === null ? domain : new URL(start));
  const { entry } = site;
  if (entry.kind === 'no_such_name' || entry.kind === 'robots') return { outcome: entry.kind, pages: [], incomplete: false };
  if (entry.kind === 'unreachable' && entry.reason === 'bad_url') {
    throw invalidInput('domain', siteMessages.wrongPort());
  }
  if (entry.kind === 'unreachable' || isTemporaryFailure(entry)) throw sourceUnavailable('website', `the front page: ${entry.kind}`);
  const read = new Reading(site, country, entry.kind === 'page' ? entry.page.url : entry.url);
  if (entry.kind === 'page') await read.add(entry.page);
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

/** True for an outcome that a later try may change: an unreachable site, a bot wall or a 5xx. */
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

  /** Reads a page unless its HTML equals that of an earlier one, because many sites answer every path with their front page. */
  async add({ url, html }: Page): Promise<void> {
    if (this.#html.has(html)) return;
    this.#html.add(html);
    const task = { url: url.href, html, country: this.#country, maxLinks: MORE_PAGES };
    const { sightings, links } = await readers.run(task).catch((error: Error) => {
      throw sourceUnavailable('website', error);
    });
    if (this.pages.length === 0) this.links = links.map((href) => new URL(href));
    this.pages.push(sightings);
  }

  /** Returns the URLs that were not requested yet. */
  notRequested(urls: readonly URL[]): readonly URL[] {
    return urls.filter(({ href }) => !this.#requested.has(href));
  }

  /** Fetches pages concurrently and reads them up to the limit of pages. */
  async fetch(urls: readonly URL[]): Promise<readonly PageOutcome[]> {
    for (const { href } of urls) this.#requested.add(href);
    const outcomes = await Promise.all(urls.map((url) => this.#site.page(url)));
    for (const outcome of outcomes) if (outcome.kind === 'page' && this.pages.length <= MORE_PAGES) await this.add(outcome.page);
    return outcomes;
  }

  /** True when the pages mention exactly one company, at least once with a label and outside a credit; or when the limit of pages is reached. */
  get isClear(): boolean {
    const named = this.pages.flatMap(({ sightings }) => sightings);
    const firm = named.some(({ kind, credit }) => kind !== 'unlabelled' && !credit);
    return this.pages.length > MORE_PAGES || (firm && new Set(named.map(({ taxId }) => taxId)).size === 1);
  }
}

const USUAL_PATHS: Readonly<Record<PageCountry, readonly string[]>> = {
  CL: ['/contacto', '/terminos-y-condiciones', '/politica-de-privacidad', '/nosotros', '/terminos', '/quienes-somos', '/aviso-legal'],
  BR: ['/contato', '/termos-de-uso', '/politica-de-privacidade', '/sobre', '/quem-somos', '/termos', '/institucional'],
};

/** Returns usual URLs of such pages for sites without links to them, the most likely ones first. */
const usualPages = (front: URL, country: PageCountry): readonly URL[] => USUAL_PATHS[country].map((path) => new URL(path, front));
