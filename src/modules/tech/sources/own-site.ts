import { registrable } from '../../../sources/domains/domain.ts';

/** An address in a page: with a scheme, or with `//` and a host that has a dot or brackets; also escaped as in JSON (`https:\/\/`). */
const ADDRESS =
  /(?:https?:[\\/]{0,4}|[\\/]{2,4}(?=[^\s"'<>()`\\/.]{0,250}\.[^\s"'<>()`\\/]|(?:[^\s"'<>()`\\/]{0,250}@)?\[))[^\s"'<>()`\\/]+[^\s"'<>()`]*/gi;
/** An address within another one, such as the target of a redirect. */
const ADDRESS_WITHIN = /https?:[\\/]{1,4}[^\s"'<>()`]+/gi;
const SLASHES = /&(?:#0{0,5}47|#x0{0,5}2f|sol);/gi;
const COLONS = /&(?:#0{0,5}58|#x0{0,5}3a|colon);/gi;
const LINK_ATTRIBUTES = /\b(?:href|src|srcset|action|formaction|data|poster|background)\s{0,9}=\s{0,9}(?:"[^"]*"|'[^']*'|[^\s>"']+)/gi;
/** Characters that browsers remove from an address. */
const LINE_BREAKS = /[\t\r\n]/g;
/** Minimum length of a query string that is removed. Shorter ones are no evidence, and removing them would remove other text, too. */
const MIN_QUERY = 4;

/** Separates the parts of a page that belong to its own site: the registrable domain of the page, with all its subdomains. */
export class OwnSite {
  readonly #page: URL;
  /** Null for a host without a registrable domain, such as `com.co`, whose subdomains belong to others. */
  readonly #site: string | null;
  readonly #known = new Map<string, boolean>();

  constructor(page: URL) {
    this.#page = page;
    this.#site = registrable(page.hostname);
  }

  /** Reduces addresses of other sites to their host, because the paths of a partner are no evidence about this site. */
  withoutOthersPaths(text: string): string {
    return text
      .replace(SLASHES, '/')
      .replace(COLONS, ':')
      .replace(LINK_ATTRIBUTES, (attribute) => attribute.replace(LINE_BREAKS, ''))
      .replace(ADDRESS, (address) => {
        const own = this.#ownPart(address);
        if (own !== address) return own;
        const [start, rest] = [address.slice(0, 1), address.slice(1)]; // an address within it begins behind its own scheme
        return start + rest.replace(ADDRESS_WITHIN, (within) => this.#ownPart(within));
      });
  }

  /** Does the same as `withoutOthersPaths` for the source of a page, and removes its links if `<base>` makes them lead to another site. */
  withoutOthersLinks(html: string, base: string | undefined): string {
    const target = base === undefined ? null : URL.parse(base, this.#page.href);
    const own = this.withoutOthersPaths(html);
    return target && !this.#has(target) ? own.replace(LINK_ATTRIBUTES, '') : own;
  }

  /** Removes the query string of the page, which a caller may have chosen, from a text that repeats it. */
  withoutQuery(text: string): string {
    const { search } = this.#page;
    if (search.length < MIN_QUERY) return text;
    const spellings = new Set([search, search.replaceAll('&', '&amp;'), decoded(search), decoded(search).replaceAll('&', '&amp;')]);
    return [...spellings].reduce((left, spelling) => left.replaceAll(spelling, ''), text);
  }

  /** Returns an address of this site unchanged, and only the host of another one. */
  #ownPart(address: string): string {
    const url = this.#parse(address);
    return url && this.#has(url) ? address : `//${url?.hostname ?? ''}/`;
  }

  #parse(address: string): URL | null {
    return URL.parse(address.replace(/\\\/|\\/g, '/'), this.#page.href);
  }

  #has({ hostname }: URL): boolean {
    const known = this.#known.get(hostname);
    if (known !== undefined) return known;
    const site = this.#site;
    const isOfSite = site !== null && (registrable(hostname) === site || hostname.endsWith(`.${site}`));
    const isOwn = isOfSite || hostname === this.#page.hostname;
    this.#known.set(hostname, isOwn);
    return isOwn;
  }
}

function decoded(search: string): string {
  try {
    return decodeURIComponent(search.replaceAll('+', ' '));
  } catch {
    return search;
  }
}
