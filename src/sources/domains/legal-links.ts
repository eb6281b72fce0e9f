import { registrable } from './domain.ts';
import type { PageLink } from './page-document.ts';

/** Kinds of pages that name the owner of a site, the most likely ones first, by the words of links without accents. */
const KINDS: readonly RegExp[] = [
  /aviso.?legal|legales|terminos|condiciones|termos|condicoes|\blegal\b|terms/,
  /privaci|privacid|privacy/,
  /contact|contato|fale.?conosco/,
  /nosotros|quienes.?somos|quem.?somos|acerca|sobre|empresa|institucional|about/,
];

/**
 * Returns links of a page to the site's own legal, privacy, contact and about pages: at most `max`, taken from the kinds by round robin.
 */
export function legalLinks(links: readonly PageLink[], page: URL, max: number): readonly URL[] {
  const byKind = KINDS.map(() => new Map<string, URL>());
  for (const { href, text } of links) {
    const url = URL.parse(href, page.href);
    if (!url || !/^https?:$/.test(url.protocol) || url.port !== page.port || registrable(url.hostname) !== registrable(page.hostname))
      continue;
    url.hash = '';
    if (url.href === page.href || NO_PAGE.test(url.pathname)) continue;
    const words = `${text.slice(0, 200)} ${url.pathname}`.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    byKind[KINDS.findIndex((pattern) => pattern.test(words))]?.set(url.href, url);
  }
  // Takes links by round robin, so that ten "terms" pages do not displace the one contact page.
  const columns = byKind.map((found) => [...found.values()]);
  const alternating = Array.from({ length: max }, (_, i) => columns.flatMap((column) => column[i] ?? []));
  return alternating.flat().slice(0, max);
}

const NO_PAGE = /\.(?:pdf|docx?|xlsx?|jpe?g|png|zip)$/i;
