import { describe, expect, it } from 'vitest';
import { SOURCES } from '../../src/domain/catalogue.ts';
import { shortSourceNameIn, sourceNameIn } from '../../src/messages/source-names.ts';
import { textsWithEnglishNames } from '../process/journeys/page-language.ts';

const CODES = Object.keys(SOURCES);

describe.each(['es', 'pt'] as const)('what the walks over the pages take for the English name of a source in %s', (language) => {
  it('is each name that is another one in English, also within a sentence', () => {
    const other = CODES.map((code) => [sourceNameIn(code, 'en'), sourceNameIn(code, language)] as const).filter(([en, own]) => en !== own);
    expect(other.length).toBeGreaterThan(20);
    for (const [name] of other) expect(textsWithEnglishNames([`2: ${name}.`], language)).toEqual([`2: ${name}.`]);
  });

  it('is each name without its brackets that is another one in English', () => {
    const short = CODES.map((code) => [shortSourceNameIn(code, 'en'), shortSourceNameIn(code, language)] as const);
    const other = short.filter(([en, own]) => en !== own).map(([en]) => en);
    expect(other.length).toBeGreaterThan(10);
    expect(textsWithEnglishNames(other, language)).toEqual(other);
  });

  it('is no abbreviation, which an amount may have, too', () => {
    expect(textsWithEnglishNames(['0,00 US$', 'US$ 0,00'], language)).toEqual([]);
  });

  it('is no name in the language itself', () => {
    const own = CODES.flatMap((code) => [sourceNameIn(code, language), shortSourceNameIn(code, language)]);
    expect(textsWithEnglishNames(own, language)).toEqual([]);
  });
});
