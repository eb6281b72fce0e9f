import type { Page } from 'playwright-core';
import { MODULES, SOURCES } from '../../src/domain/catalogue.ts';
import { englishIn } from './english.ts';

/**
 * Collects the texts that a page shows or reads out: visible text by block, options of lists, labels, titles and placeholders. A part with a
 * language of its own, and code, are left out.
 */
const COLLECT = `(() => {
  const isForeign = (element) => element.closest('[lang]:not(html), code, pre, kbd, script, style, noscript, [translate=no]') !== null;
  const found = new Set();
  const add = (text) => { const one = (text ?? '').replace(/\\s+/g, ' ').trim(); if (one) found.add(one); };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (element && !isForeign(element)) add(node.textContent);
  }
  for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]')) {
    if (isForeign(element)) continue;
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) add(element.getAttribute(name));
  }
  add(document.title);
  return [...found];
})()`;

/** English words of pages that are no words of Spanish or Portuguese, besides those of sentences. */
const WORDS =
  /(?<!\p{L})(?:company|companies|records?|lists|read|reads|checked|checks|found|names?|dates?|sources?|changes?|changed|watch|watched|days?|pages?|next|previous|loading|none|yes|rows?|keys?|show|hide|more|all|last|today|since|until|unknown|owners?|name|tax|branch|branches|entries|entry|listed|open|closed|search|filter|sort|remove|cancel|save|active|inactive|missing|failed|fine|fines|year|years|share|date|size|street|other|others|same|words?)(?!\p{L})/giu;

/** Parts that are the same in all languages: names of parameters, words in capitals, addresses, names of files and of fields. */
const FIXED = /\{\w+|\b[A-ZÀ-Þ][A-ZÀ-Þ\d._/&-]+\b|https?:\/\/\S*|\b[\w-]+\.(?:com|org|csv|json|pdf|test|gov)\S*|`[^`]*`|\b\w+_\w+\b/g;

export const shownTexts = (page: Page): Promise<readonly string[]> => page.evaluate<readonly string[]>(COLLECT);

/** Returns the texts with English words. Words of a text that is in `names` are foreign. */
export const englishTexts = (texts: readonly string[], names: readonly string[] = []): readonly string[] =>
  texts.filter((text) => {
    const own = names.reduce((rest, name) => rest.replaceAll(name, ' '), text).replaceAll(FIXED, ' ');
    return englishIn(own).length > 0 || (own.match(WORDS)?.length ?? 0) > 0;
  });

/** Words that are no English on the pages: names of modules, which are codes, and the name of the language itself. */
const CODES = [...MODULES, 'English'];

/** Matches a code of a list or source that is no word. Names such as CEIS are parts of the names for people. */
const CODE = new RegExp(
  `\\b(?:${Object.keys(SOURCES)
    .filter((code) => code.includes('_'))
    .join('|')})\\b`,
  'i',
);

const ISO_DATE = /\b\d{4}-\d\d-\d\d\b/;

/** Returns the texts of a page that have English words, the code of a source, or a date in another form than the common one. */
export async function wrongTexts(page: Page): Promise<readonly string[]> {
  const texts = await shownTexts(page);
  return [...englishTexts(texts, CODES), ...texts.filter((text) => ISO_DATE.test(text) || CODE.test(text))];
}
