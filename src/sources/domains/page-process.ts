import { answerInProcess } from '../reading-process/entry.ts';
import { legalLinks } from './legal-links.ts';
import type { PageSightings } from './owner.ts';
import { readDocument } from './page-document.ts';
import { readPage } from './read-page.ts';
import type { PageCountry } from './tax-numbers.ts';

/** A page to read. */
export interface PageTask {
  readonly url: string;
  readonly html: string;
  readonly country: PageCountry;
  readonly maxLinks: number;
}

export interface PageReading {
  readonly sightings: PageSightings;
  /** URLs of the site's own legal, privacy, contact and about pages that the page links to. */
  readonly links: readonly string[];
}

/** Reads pages in a separate process, because a hostile one takes a second or more. */
answerInProcess(({ url, html, country, maxLinks }: PageTask): PageReading => {
  const document = readDocument(html);
  const links = legalLinks(document.links, new URL(url), maxLinks);
  return { sightings: readPage(document, url, country), links: links.map(({ href }) => href) };
});
