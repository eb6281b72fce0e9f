import type { Language } from '../messages/message.ts';

/** Language and IANA time zone of the reader of a report. */
export interface Reader {
  readonly language: Language;
  readonly timeZone: string;
}

/** Locales of the languages. British English writes the day first, like Spanish and Portuguese. */
export const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', es: 'es', pt: 'pt' };
const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const TIME = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;

/** Formats a day such as 24 Nov 2026. @param day ISO date */
export const dateText = (day: string, { language }: Pick<Reader, 'language'>): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(LOCALES[language], { ...DATE, timeZone: 'UTC' });

/**
 * Formats a moment in the zone of the reader, with the name of the zone, beside UTC:
 * `24 Nov 2026, 09:00:00 (America/Sao_Paulo) · 24 Nov 2026, 12:00:00 (UTC)`. @param moment ISO 8601
 */
export function momentText(moment: string, { language, timeZone }: Reader): string {
  const zone = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone; // in its usual letter case
  const zones = zone === 'UTC' ? [zone] : [zone, 'UTC'];
  const inZone = (one: string) => new Date(moment).toLocaleString(LOCALES[language], { ...DATE, ...TIME, timeZone: one });
  return zones.map((one) => `${inZone(one)} (${one})`).join(' · ');
}
