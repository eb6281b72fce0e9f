import { useCallback, useSyncExternalStore } from 'react';
import { type Texts, useTexts } from '../texts/texts.ts';
import { momentText } from './date.ts';
import { ageText, agoText, lastingText } from './duration.ts';

const SECOND = 1_000;
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

interface Props {
  /** ISO text, or epoch ms. */
  readonly at: string | number;
}

/** Shows the age of a moment alone, as in a column or after a colon. */
export const Age = ({ at }: Props) => <Elapsed at={at} write={ageText} />;

/** Shows the age of a moment as the end of a phrase, such as 4 min ago. */
export const Ago = ({ at }: Props) => <Elapsed at={at} write={agoText} />;

/** Shows how long something lasts that began at a moment. */
export const Lasting = ({ at }: Props) => <Elapsed at={at} write={lastingText} />;

/** Shows the time since a moment, with the moment itself as a tooltip. */
function Elapsed({ at, write }: Props & { readonly write: (ms: number, texts: Texts) => string }) {
  const texts = useTexts();
  const moment = typeof at === 'number' ? at : Date.parse(at);
  const text = useNow(useCallback((now: number) => write(now - moment, texts), [moment, texts, write]));
  return (
    <time className="number" dateTime={new Date(moment).toISOString()} title={momentText(moment, texts.language)}>
      {text}
    </time>
  );
}

/** Shows the time until a moment, with the moment itself as a tooltip. @param passed text that is shown from the moment on */
export function Countdown({ at, passed }: { readonly at: string; readonly passed: string }) {
  const texts = useTexts();
  const moment = Date.parse(at);
  const text = useNow(useCallback((now: number) => (moment <= now ? passed : lastingText(moment - now, texts)), [moment, passed, texts]));
  return (
    <time className="number" dateTime={at} title={momentText(moment, texts.language)}>
      {text}
    </time>
  );
}
