import { readFileSync } from 'node:fs';
import { buildSchema, isEnumType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { fill } from '../../dashboard/texts/fill.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { RECEIPT_TEXTS } from '../../src/evidence/receipt-texts.ts';
import { REPORT_TEXTS } from '../../src/evidence/report-languages.ts';
import { textFiles } from '../support/dashboard-texts.ts';
import { englishTexts } from '../support/shown-texts.ts';

const rows = textFiles.flatMap((file) => Object.entries(file));
const texts = rows.flatMap(([key, row]) => row.map((text, at) => ({ key, text, language: ['en', 'es', 'pt'][at] ?? '' })));

const schema = buildSchema(readFileSync('schema/schema.graphql', 'utf8'));

/** Names of the values of an enum of the API. */
function valuesOf(name: string): readonly string[] {
  const type = schema.getType(name);
  if (!isEnumType(type)) throw new Error(`no enum ${name}`);
  return type.getValues().map((value) => value.name);
}

describe('texts of the dashboard', () => {
  it('are those of every subject', () => {
    expect(textFiles.length).toBeGreaterThan(10);
    expect(rows.length).toBeGreaterThan(500);
  });

  it('have no English word in Spanish and Portuguese', () => {
    // The name of the language itself is the same in all languages, and so is `Monitor`.
    const names = ['English', 'monitor'];
    const found = texts.filter(({ text, language }) => language !== 'en' && englishTexts([text], names).length > 0);
    expect(found).toEqual([]);
  });

  // A key that is made from a value of the API and is not there shows the value, which is English.
  it.each([
    ['reason', 'RiskReasonCode'],
    ['group.gap', 'GraphGapReason'],
    ['value', 'RegistrationStatus'],
    ['value', 'CompanySize'],
    ['field', 'ChangeField'],
  ])('have a text for %s.<each value of %s>', (prefix, name) => {
    const keys = new Set(rows.map(([key]) => key));
    expect(valuesOf(name).filter((value) => !keys.has(`${prefix}.${value}`))).toEqual([]);
  });

  it('say of what a registry does not have that it was not found, and not that it does not exist', () => {
    const found = rows.filter(([, [english = '', ...others]]) => /^not found$/i.test(english) && others.some((text) => /exist/.test(text)));
    expect(found).toEqual([]);
  });

  it('do not say of a partial check that a source failed, because a list may only be missing, such as that of Chilean tax debtors', () => {
    const partial = [
      ...(new Map<string, readonly string[]>(rows).get('completeness.meaning.PARTIAL') ?? []),
      ...Object.values(RECEIPT_TEXTS).map(({ degrees }) => degrees.partial),
    ];
    expect(partial.filter((text) => /fail|fall[óo]|falh/.test(text))).toEqual([]);
    expect(partial).toHaveLength(6);
  });

  it('call the receipt, the report and the completeness as the printed files do', () => {
    expect(texts.filter(({ text, language }) => language !== 'en' && /\brecibo/i.test(text))).toEqual([]);
    const pages: ReadonlyMap<string, readonly string[]> = new Map(rows);
    const languages = ['en', 'es', 'pt'] as const;
    expect(languages.map((one) => RECEIPT_TEXTS[one].completeness)).toEqual(pages.get('csv.completeness'));
    for (const word of ['body', 'amount', 'period'] as const)
      expect(languages.map((one) => REPORT_TEXTS[one][word])).toEqual(pages.get(`findings.${word}`));
  });

  it('name no module by its code, but `monitor`, which a person asks the operator for', () => {
    const ofAll = /\b(kyb|enrich|tax_health|compliance_br)\b/;
    const ofOthers = new RegExp(`\\b(${MODULES.filter((module) => module !== 'monitor').join('|')})\\b`);
    const words = (text: string): string => text.replace(/\{\w+\}/g, '');
    expect(texts.filter(({ text, language }) => (language === 'en' ? ofAll : ofOthers).test(words(text)))).toEqual([]);
  });

  it('have each number of a country where they list such numbers', () => {
    const lists = texts.filter(({ text }) => /\bCNPJ, RUT\b/.test(text));
    expect(lists.length).toBeGreaterThan(3);
    expect(lists.filter(({ text }) => !/\bNIT\b/.test(text))).toEqual([]);
  });

  it('have one key each, because a file that is added later would replace the text of another one', () => {
    const keys = rows.map(([key]) => key);
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  });

  it.each([
    ['en', 'Watch {n} {n|company|companies}', ['Watch 0 companies', 'Watch 1 company', 'Watch 2 companies', 'Watch 1,500 companies']],
    [
      'es',
      'Monitorear {n} {n|empresa|empresas}',
      ['Monitorear 0 empresas', 'Monitorear 1 empresa', 'Monitorear 2 empresas', 'Monitorear 1500 empresas'],
    ],
    [
      'pt',
      'Monitorar {n} {n|empresa|empresas}',
      ['Monitorar 0 empresa', 'Monitorar 1 empresa', 'Monitorar 2 empresas', 'Monitorar 1.500 empresas'],
    ],
  ])('have the word of a number by the plural rules of the language: %s', (language, text, expected) => {
    expect([0, 1, 2, 1_500].map((n) => fill(text, { n }, language))).toEqual(expected);
  });

  it('have no word in the plural right after a number that can be one', () => {
    // `ms` is a unit, `más` no noun; before `das` comes a share. Names of companies and countries are no numbers.
    const plural = /\{(?!name|country|percent)\w+\} (?!ms\b|más\b)\p{L}+s\b/u;
    const found = texts.filter(({ text }) => plural.test(text));
    expect(found).toEqual([]);
  });

  it('have no preposition before the name of a country in Portuguese, where it takes an article: do Brasil, da Colômbia', () => {
    const found = texts.filter(({ text, language }) => language === 'pt' && /(?<!\p{L})(?:de|em) \{country\}/u.test(text));
    expect(found).toEqual([]);
  });

  it('say a sentence of five words or more in one way in each language', () => {
    const sentences = (text = '') => text.split(/(?<=[.?!:;])\s+/).map((one) => one.replace(/[.:;]$/, ''));
    const translations = new Map<string, Set<string>>();
    for (const [, row] of rows) {
      const [english = [], ...others] = row.map(sentences);
      if (others.some(({ length }) => length !== english.length)) continue;
      for (const [at, sentence] of english.entries()) {
        const known = translations.get(sentence) ?? translations.set(sentence, new Set()).get(sentence);
        known?.add(others.map((one) => one[at]).join(' / '));
      }
    }
    const several = [...translations].filter(([sentence, { size }]) => size > 1 && sentence.split(' ').length >= 5);
    expect(several.map(([sentence, ways]) => [sentence, ...ways])).toEqual([]);
  });

  it('name in each language the values that the English text names', () => {
    const names = (text: string) => [...new Set([...text.matchAll(/\{(\w+)/g)].map(([, name]) => name))].sort();
    const english = new Map(texts.filter(({ language }) => language === 'en').map(({ key, text }) => [key, names(text)]));
    for (const { key, text } of texts) expect([key, names(text)]).toEqual([key, english.get(key)]);
  });
});
