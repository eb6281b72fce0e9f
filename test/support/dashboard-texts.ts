import { globSync } from 'node:fs';
import path from 'node:path';
import { fill } from '../../dashboard/texts/fill.ts';

type Rows = Readonly<Record<string, readonly string[]>>;

/** The tables of texts of the pages: every file of the folder but the two that have none. */
export const textFiles: readonly Rows[] = await Promise.all(
  globSync('dashboard/texts/*.ts', { exclude: ['**/fill.ts', '**/texts.ts'] }).map(
    async (file) => Object.values(await import(/* @vite-ignore */ path.resolve(file)))[0] as Rows,
  ),
);

const LANGUAGES = ['en', 'es', 'pt'] as const;
export type PageLanguage = (typeof LANGUAGES)[number];
export type TextOf = (key: string, values?: Readonly<Record<string, string | number>>) => string;

const rows = new Map(textFiles.flatMap((file) => Object.entries(file)));

/** Returns the texts of the pages in a language, by their keys. A key that no table has is an error of the test. */
export const textsIn =
  (language: PageLanguage): TextOf =>
  (key, values = {}) => {
    const text = rows.get(key)?.[LANGUAGES.indexOf(language)];
    if (text === undefined) throw new Error(`no text ${key} in ${language}`);
    return fill(text, values, language);
  };
