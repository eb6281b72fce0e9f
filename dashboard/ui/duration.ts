import type { Language, Texts } from '../texts/texts.ts';

const SECOND = 1_000;
const UNITS: readonly (readonly [limit: number, size: number, unit: string])[] = [
  [60 * SECOND, SECOND, 'second'],
  [3_600 * SECOND, 60 * SECOND, 'minute'],
  [86_400 * SECOND, 3_600 * SECOND, 'hour'],
  [Number.POSITIVE_INFINITY, 86_400 * SECOND, 'day'],
];

function inLargestUnit(ms: number, language: Language, unitDisplay: 'narrow' | 'short'): string {
  const [, size, unit] = UNITS.find(([limit]) => ms < limit) ?? UNITS[0] ?? [0, SECOND, 'second'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay }).format(Math.floor(ms / size));
}

/** Formats a duration in the largest unit that it reaches, such as 4m. */
export const durationText = (ms: number, language: Language): string => inLargestUnit(ms, language, 'narrow');

/** Formats an age that stands alone, such as 4m. */
export const ageText = (ms: number, texts: Texts): string => (ms < SECOND ? texts('age.now') : durationText(ms, texts.language));

/** Formats an age as the end of a phrase, such as 4 min ago. */
export const agoText = (ms: number, texts: Texts): string =>
  ms < SECOND ? texts('age.justNow') : texts('age.ago', { duration: inLargestUnit(ms, texts.language, 'short') });

/** Formats how long something lasts until now, or how long it is until then. It is never nothing. */
export const lastingText = (ms: number, texts: Texts): string => durationText(Math.max(ms, SECOND), texts.language);
