import { forgetKept } from './kept-companies.ts';
import { createStore } from './store.ts';

const STORED = 'quipu.key';

/** The API key of this tab; null when nobody is signed in. It is in the session storage only, which ends with the tab. */
export const session = createStore<string | null>(null);

/** Takes a key from the fragment of the address, which browsers send to no server, and removes it from the address and the history entry. */
export function restoreSession(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (location.hash) history.replaceState(null, '', location.pathname + location.search);
  if (given) sessionStorage.setItem(STORED, given);
  session.set(() => sessionStorage.getItem(STORED));
}

export function signIn(key: string): void {
  sessionStorage.setItem(STORED, key);
  session.set(() => key);
}

export function signOut(): void {
  sessionStorage.clear();
  forgetKept();
  session.set(() => null);
}
