import type { Page } from 'playwright-core';
import { SOURCES } from '../../../src/domain/catalogue.ts';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import { shownTexts, wrongTexts } from '../../support/shown-texts.ts';

/** Returns the parts of a name for people: before its brackets, and in them. Abbreviations alone, such as US, are in amounts, too. */
const partsOf = (name: string): readonly string[] => name.split(/ \(|\)$/).filter((part) => /\p{Ll}/u.test(part));

/** Matches a text as whole words, in any letter case. */
const wholeWords = (text: string): RegExp => new RegExp(`(?<![\\p{L}\\d])${text.replaceAll(/[.()/]/g, '\\$&')}(?![\\p{L}\\d])`, 'iu');

/** Returns the parts of the English names of sources that their names in another language do not have. */
export const englishNamesBeside = (language: 'es' | 'pt'): readonly string[] => [
  ...new Set(
    Object.keys(SOURCES).flatMap((code) => {
      const own = sourceNameIn(code, language);
      return partsOf(sourceNameIn(code, 'en')).filter((part) => !wholeWords(part).test(own));
    }),
  ),
];

/** Returns the texts that have the English name of a source, or a part of one, which their language writes in other words. */
export function textsWithEnglishNames(texts: readonly string[], language: 'es' | 'pt'): readonly string[] {
  const names = englishNamesBeside(language).map(wholeWords);
  return texts.filter((text) => names.some((name) => name.test(text)));
}

/** Matches a text that begins with the code of a country. */
const COUNTRY_CODE = /^(?:BR|CL|CO)(?: |$)/;

/** Returns the texts of a page that are not in its language, with those that name a source in English, or a country by its code. */
export async function foreignTexts(page: Page, language: 'es' | 'pt'): Promise<readonly string[]> {
  const texts = await shownTexts(page);
  return [...(await wrongTexts(page)), ...textsWithEnglishNames(texts, language), ...texts.filter((text) => COUNTRY_CODE.test(text))];
}
