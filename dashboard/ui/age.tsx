import { useCallback, useSyncExternalStore } from 'react';
import { type Language, useTexts } from '../texts/texts.ts';
import { momentText } from './date.ts';

const SECOND = 1_000;
const UNITS: readonly (readonly [limit: number, size: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [60 * SECOND, SECOND, 'second'],
  [3_600 * SECOND, 60 * SECOND, 'minute'],
  [86_400 * SECOND, 3_600 * SECOND, 'hour'],
  [Number.POSITIVE_INFINITY, 86_400 * SECOND, 'day'],
];

const listeners = new Set<() => void>();
setInterval(() => {
  for (const listener of listeners) listener();
}, SECOND);

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Returns a value that depends on the time. The component renders again when the value changes, at most once a second. */
export const useNow = <T extends string | number | boolean>(read: (now: number) => T): T =>
  useSyncExternalStore(subscribe, () => read(Date.now()));

function ageText(ms: number, chosen: Language, now: string): string {
  return ms < SECOND ? now : durationText(ms, chosen);
}

/** Formats a duration in the largest unit that it reaches, such as 4 min. */
export function durationText(ms: number, chosen: Language): string {
  const [, size, unit] = UNITS.find(([limit]) => ms < limit) ?? UNITS[0] ?? [0, SECOND, 'second'];
  return new Intl.NumberFormat(chosen, { style: 'unit', unit: unit as string, unitDisplay: 'narrow' }).format(Math.floor(ms / size));
}

/** Shows the age of a moment, with the moment itself as a tooltip. @param at ISO text, or epoch ms */
export function Age({ at }: { readonly at: string | number }) {
  const texts = useTexts();
  const moment = typeof at === 'number' ? at : Date.parse(at);
  const text = useNow(useCallback((now: number) => ageText(now - moment, texts.language, texts('age.now')), [moment, texts]));
  return (
    <time className="number" dateTime={new Date(moment).toISOString()} title={momentText(moment, texts.language)}>
      {text}
    </time>
  );
}

/** Shows the time until a moment, with the moment itself as a tooltip. @param passed text that is shown from the moment on */
export function Countdown({ at, passed }: { readonly at: string; readonly passed: string }) {
  const { language } = useTexts();
  const moment = Date.parse(at);
  const text = useNow(
    useCallback(
      (now: number) => (moment <= now ? passed : durationText(Math.max(moment - now, SECOND), language)),
      [moment, passed, language],
    ),
  );
  return (
    <time className="number" dateTime={at} title={momentText(moment, language)}>
      {text}
    </time>
  );
}
