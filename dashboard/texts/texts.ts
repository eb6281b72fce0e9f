import { createStore, useStore } from '../state/store.ts';
import { checks } from './checks.ts';
import { common } from './common.ts';
import { companies } from './companies.ts';
import { deliveries } from './deliveries.ts';
import { desk } from './desk.ts';
import { explorer } from './explorer.ts';
import { fill } from './fill.ts';
import { operation } from './operation.ts';

/** The catalogue of all texts, by language in the order of `LANGUAGES`. */
export const catalogue = { ...common, ...companies, ...checks, ...deliveries, ...desk, ...operation, ...explorer };

export const LANGUAGES = ['en', 'es', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];
export type TextKey = keyof typeof catalogue;

const STORED = 'quipu.language';

const isLanguage = (text: string | null): text is Language => LANGUAGES.some((one) => one === text);

function preferred(): Language {
  const stored = localStorage.getItem(STORED);
  if (isLanguage(stored)) return stored;
  return navigator.languages.map((one) => one.slice(0, 2)).find(isLanguage) ?? 'en';
}

export const language = createStore<Language>(preferred());

export function setLanguage(chosen: Language): void {
  localStorage.setItem(STORED, chosen);
  document.documentElement.lang = chosen;
  language.set(() => chosen);
}

export interface Texts {
  readonly language: Language;
  /** Returns the text of a key, with its values inserted. */
  (key: TextKey, values?: Readonly<Record<string, string | number>>): string;
}

function textsIn(chosen: Language): Texts {
  const index = LANGUAGES.indexOf(chosen);
  const text = (key: TextKey, values: Readonly<Record<string, string | number>> = {}): string =>
    fill(catalogue[key][index] ?? catalogue[key][0], values, chosen);
  return Object.assign(text, { language: chosen });
}

const allTexts: Readonly<Record<Language, Texts>> = { en: textsIn('en'), es: textsIn('es'), pt: textsIn('pt') };

/** Returns the texts in the chosen language. */
export const useTexts = (): Texts => allTexts[useStore(language, (one) => one)];

/** True for a key of the catalogue. Keys that are created from values of the API may be of a newer server. */
export const isTextKey = (key: string): key is TextKey => key in catalogue;
