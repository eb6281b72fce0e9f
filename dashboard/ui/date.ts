import type { Language } from '../texts/texts.ts';

/** Locales of the languages. British English writes the day first, like Spanish and Portuguese. */
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', es: 'es', pt: 'pt' };
const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const TIME = { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const;

const DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * Formats a day such as 24 Nov 2026, the common format of the pages. Another text stays unchanged, also a year or a month: lists print such
 * dates of birth, and a day would be made up.
 * @param day ISO date
 */
export function dateText(day: string, language: Language): string {
  const moment = new Date(`${day}T00:00:00Z`);
  const isDay = DAY.test(day) && !Number.isNaN(moment.valueOf());
  return isDay ? moment.toLocaleDateString(LOCALES[language], { ...DATE, timeZone: 'UTC' }) : day;
}

/** Formats the day of a moment in the viewer's time zone. @param at ISO text of a moment */
export const dayText = (at: string, language: Language): string => new Date(at).toLocaleDateString(LOCALES[language], DATE);

/** Writes the ISO dates within a sentence of the service in the common format. */
export const withDates = (sentence: string, language: Language): string =>
  sentence.replaceAll(/\b\d{4}-\d\d-\d\d\b/g, (day) => dateText(day, language));

/** Formats a moment in the viewer's time zone, with the name of the zone. */
export const momentText = (at: number, language: Language): string => new Date(at).toLocaleString(LOCALES[language], { ...DATE, ...TIME });

/** Formats the time of a moment in the viewer's time zone, such as 14:00. */
export const timeText = (at: number, language: Language): string =>
  new Date(at).toLocaleTimeString(LOCALES[language], { hour: '2-digit', minute: '2-digit' });
