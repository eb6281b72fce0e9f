import { forgetKept } from './kept-companies.ts';
import { createStore } from './store.ts';

const STORED = 'quipu.key';

/**
 * The text that the page sends in place of a key for a person who signed in with the issuer of the service. Her session is in a cookie that
 * scripts cannot read.
 */
export const PERSON = 'session';

/** The API key of this tab, or `PERSON`; null when nobody is signed in. A key is in the session storage only, which ends with the tab. */
export const session = createStore<string | null>(null);

/** Takes a key from the fragment of the address, which browsers send to no server, and removes it from the address and the history entry. */
export function restoreSession(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (location.hash) history.replaceState(null, '', location.pathname + location.search);
  if (given) sessionStorage.setItem(STORED, given);
  session.set((now) => sessionStorage.getItem(STORED) ?? (now === PERSON ? now : null));
}

export function signIn(key: string): void {
  sessionStorage.setItem(STORED, key);
  session.set(() => key);
}

/** Removes what this browser has kept of the session. */
export function endSession(): void {
  sessionStorage.clear();
  forgetKept();
  session.set(() => null);
}
