import { createStore, useStore } from '../state/store.ts';
import type { checks } from './checks.ts';
import { common } from './common.ts';
import { companies } from './companies.ts';
import type { decisions } from './decisions.ts';
import type { deliveries } from './deliveries.ts';
import type { desk } from './desk.ts';
import type { dossier } from './dossier.ts';
import { explorer } from './explorer.ts';
import { fill } from './fill.ts';
import type { landing } from './landing.ts';
import type { notifications } from './notifications.ts';
import { operation } from './operation.ts';
import type { portfolio } from './portfolio.ts';
import type { screenings } from './screenings.ts';
import type { search } from './search.ts';
import type { signInTexts } from './sign-in.ts';
import type { sourceTexts } from './sources.ts';
import type { trends } from './trends.ts';

/** Texts that every page loads, by language in the order of `LANGUAGES`. */
const shared = { ...common, ...companies, ...operation, ...explorer };

export const LANGUAGES = ['en', 'es', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];
/** Texts that only the dashboard loads. */
type DashboardKey = keyof typeof checks | keyof typeof decisions | keyof typeof deliveries;
export type TextKey =
  | DashboardKey
  | keyof typeof shared
  | keyof typeof desk
  | keyof typeof dossier
  | keyof typeof landing
  | keyof typeof notifications
  | keyof typeof portfolio
  | keyof typeof screenings
  | keyof typeof search
  | keyof typeof trends
  | keyof typeof signInTexts
  | keyof typeof sourceTexts;

const catalogue = new Map<string, readonly string[]>(Object.entries(shared));

/** Adds the texts that only some pages load, so that the others stay small. */
export function addTexts(texts: Readonly<Record<string, readonly string[]>>): void {
  for (const [key, row] of Object.entries(texts)) catalogue.set(key, row);
}

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
  const text = (key: TextKey, values: Readonly<Record<string, string | number>> = {}): string => {
    const row = catalogue.get(key);
    return fill(row?.[index] ?? row?.[0] ?? key, values, chosen);
  };
  return Object.assign(text, { language: chosen });
}

const allTexts: Readonly<Record<Language, Texts>> = { en: textsIn('en'), es: textsIn('es'), pt: textsIn('pt') };

/** Returns the texts in the chosen language. */
export const useTexts = (): Texts => allTexts[useStore(language, (one) => one)];

/** True for a key of the catalogue. Keys that are created from values of the API may be of a newer server. */
export const isTextKey = (key: string): key is TextKey => catalogue.has(key);
