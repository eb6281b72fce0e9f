import { CSV_DELIMITERS, type CsvDelimiter } from '../../src/domain/csv.ts';
import { createStore, useStore } from '../state/store.ts';
import { type Language, language } from '../texts/texts.ts';

/** Delimiters by language: where the decimal separator is a comma, spreadsheets separate columns by semicolons. */
const DEFAULTS: Readonly<Record<Language, CsvDelimiter>> = { en: 'comma', es: 'semicolon', pt: 'semicolon' };

const STORED = 'quipu.delimiter';

export const isDelimiter = (text: string | null): text is CsvDelimiter => text !== null && Object.hasOwn(CSV_DELIMITERS, text);

function stored(): CsvDelimiter | null {
  const text = localStorage.getItem(STORED);
  return isDelimiter(text) ? text : null;
}

/** The delimiter that a person has chosen in this browser; null for the one of the language. */
const chosen = createStore<CsvDelimiter | null>(stored());

export function chooseDelimiter(delimiter: CsvDelimiter): void {
  localStorage.setItem(STORED, delimiter);
  chosen.set(() => delimiter);
}

/** Returns the delimiter of the CSV files that the pages save. */
export function useDelimiter(): CsvDelimiter {
  const fallback = DEFAULTS[useStore(language, (one) => one)];
  return useStore(chosen, (one) => one) ?? fallback;
}
