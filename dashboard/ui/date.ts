import type { Language } from '../texts/texts.ts';

/** British English writes the day first, as Spanish and Portuguese do. */
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', es: 'es', pt: 'pt' };
const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const TIME = { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const;

/** A day such as 24 Nov 2026: the one form of the pages. Another text than a day stays as it is. @param day ISO date */
export function dateText(day: string, language: Language): string {
  const moment = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(moment.valueOf()) ? day : moment.toLocaleDateString(LOCALES[language], { ...DATE, timeZone: 'UTC' });
}

/** A moment in the viewer's time zone, with its name. */
export const momentText = (at: number, language: Language): string => new Date(at).toLocaleString(LOCALES[language], { ...DATE, ...TIME });
