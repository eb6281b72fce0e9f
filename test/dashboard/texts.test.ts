import { describe, expect, it } from 'vitest';
import { checks } from '../../dashboard/texts/checks.ts';
import { common } from '../../dashboard/texts/common.ts';
import { companies } from '../../dashboard/texts/companies.ts';
import { decisions } from '../../dashboard/texts/decisions.ts';
import { deliveries } from '../../dashboard/texts/deliveries.ts';
import { desk } from '../../dashboard/texts/desk.ts';
import { dossier } from '../../dashboard/texts/dossier.ts';
import { fill } from '../../dashboard/texts/fill.ts';
import { notifications } from '../../dashboard/texts/notifications.ts';
import { operation } from '../../dashboard/texts/operation.ts';
import { portfolio } from '../../dashboard/texts/portfolio.ts';
import { screenings } from '../../dashboard/texts/screenings.ts';

const files = [common, companies, checks, decisions, deliveries, desk, dossier, notifications, operation, portfolio, screenings];
const rows: readonly (readonly [string, readonly string[]])[] = files.flatMap((file) => Object.entries(file));
const texts = rows.flatMap(([key, row]) => row.map((text, at) => ({ key, text, language: ['en', 'es', 'pt'][at] ?? '' })));

describe('texts of the dashboard', () => {
  it('have one key each, because a file that is added later would replace the text of another one', () => {
    const keys = rows.map(([key]) => key);
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  });

  it.each([
    ['en', 'Watch {n} {n|company|companies}', ['Watch 0 companies', 'Watch 1 company', 'Watch 2 companies', 'Watch 1,500 companies']],
    ['es', 'Vigilar {n} {n|empresa|empresas}', ['Vigilar 0 empresas', 'Vigilar 1 empresa', 'Vigilar 2 empresas', 'Vigilar 1500 empresas']],
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

  it('name in each language the values that the English text names', () => {
    const names = (text: string) => [...new Set([...text.matchAll(/\{(\w+)/g)].map(([, name]) => name))].sort();
    const english = new Map(texts.filter(({ language }) => language === 'en').map(({ key, text }) => [key, names(text)]));
    for (const { key, text } of texts) expect([key, names(text)]).toEqual([key, english.get(key)]);
  });
});
