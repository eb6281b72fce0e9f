import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Texts } from '../../dashboard/texts/texts.ts';
import { ageText, agoText, lastingText } from '../../dashboard/ui/duration.ts';
import { textsIn } from '../support/dashboard-texts.ts';

const LANGUAGES = ['en', 'es', 'pt'] as const;
const DAY_MS = 86_400_000;

/** A text of the catalogue, by its key, with a short age after it. */
const AFTER_TEXT = /texts\('([\w.]+)'[^\n]*\)\}\s*<Age /g;

describe.each([
  ['en', 'Assessed', ['just now', '12 sec ago', '3 min ago', '5 hr ago', '1 day ago', '2 days ago'], '1s'],
  ['es', 'Verificada', ['ahora mismo', 'hace 12 s', 'hace 3 min', 'hace 5 h', 'hace 1 d', 'hace 2 d'], '1s'],
  ['pt', 'Verificada', ['agora mesmo', 'há 12 s', 'há 3 min', 'há 5 h', 'há 1 dia', 'há 2 dias'], '1 s'],
] as const)('an age in %s', (language, verb, phrases, shortest) => {
  const texts = Object.assign(textsIn(language), { language }) as Texts;

  it('is the end of a phrase after a verb', () => {
    const ages = [999, 12_999, 3 * 60_000, 5 * 3_600_000, DAY_MS, 2 * DAY_MS];
    expect(ages.map((ms) => `${texts('companies.age')} ${agoText(ms, texts)}`)).toEqual(phrases.map((phrase) => `${verb} ${phrase}`));
  });

  it('is short where it stands alone, and a duration is never nothing', () => {
    expect([ageText(0, texts), ageText(1_000, texts), lastingText(-5, texts)]).toEqual([texts('age.now'), shortest, shortest]);
  });
});

describe('the pages', () => {
  it('show a short age after a text only where the text ends with a colon', () => {
    const files = globSync('dashboard/**/*.tsx').map((file) => readFileSync(file, 'utf8'));
    const keys = files.flatMap((file) => [...file.matchAll(AFTER_TEXT)].map(([, key = '']) => key));
    expect(keys).toContain('dataAge');
    const wrong = LANGUAGES.flatMap((language) => keys.map((key) => textsIn(language)(key)).filter((text) => !text.endsWith(':')));
    expect(wrong).toEqual([]);
  });
});
