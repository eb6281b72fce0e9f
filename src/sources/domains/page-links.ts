import { registrable } from './domain.ts';
import type { PageLink } from './page-document.ts';
import type { PageCountry } from './tax-numbers.ts';

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

/** Where the pages usually are that nothing links to, the likeliest first. */
export const usualPages = (front: URL, country: PageCountry): readonly URL[] => USUAL_PATHS[country].map((path) => new URL(path, front));

/** Links of a page to the site's own legal, privacy, contact and about pages: at most `most`, no kind taking all the places. */
export function legalLinks(links: readonly PageLink[], page: URL, most: number): readonly URL[] {
  const byKind = KINDS.map(() => new Map<string, URL>());
  for (const { href, text } of links.slice(-MOST_LINKS)) {
    const url = URL.parse(href, page.href);
    if (!url || !/^https?:$/.test(url.protocol) || url.port !== page.port || registrable(url.hostname) !== registrable(page.hostname))
      continue;
    url.hash = '';
    if (url.href === page.href || NO_PAGE.test(url.pathname)) continue;
    const words = `${text.slice(0, 200)} ${url.pathname}`.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    byKind[KINDS.findIndex((pattern) => pattern.test(words))]?.set(url.href, url);
  }
  // One of each kind in turn: ten "terms" must not keep the one contact page out.
  const columns = byKind.map((found) => [...found.values()]);
  const inTurn = Array.from({ length: most }, (_, i) => columns.flatMap((column) => column[i] ?? []));
  return inTurn.flat().slice(0, most);
}

/** A site's legal links stand at its end; the rest of a very long page is left out. */
const MOST_LINKS = 5_000;
const NO_PAGE = /\.(?:pdf|docx?|xlsx?|jpe?g|png|zip)$/i;
