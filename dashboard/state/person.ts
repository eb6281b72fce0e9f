import { read, send } from '../../clients/typescript/src/http.ts';
import { serviceOf } from '../api/client.ts';
import { endSession, PERSON, session } from './session.ts';
import { createStore } from './store.ts';

/** Name of the issuer of OpenID Connect at which people sign in; null if they sign in with a key only, and before it is known. */
export const issuer = createStore<string | null>(null);

/** Time in ms for which the page waits before it asks for a key. */
const TIMEOUT_MS = 5_000;
/** Time in ms for a sign-out, during which the service may wait for the issuer. */
const SIGN_OUT_TIMEOUT_MS = 10_000;

/** Reads how people sign in here, and continues the session of a person if this tab has no key. A failure leaves the form for a key. */
export async function restorePerson(): Promise<void> {
  try {
    const service = serviceOf('', TIMEOUT_MS);
    const answer = (await read(service, await send(service, '/auth/session', {}))) as SignInState;
    issuer.set(() => answer.issuer);
    if (answer.signed_in) session.set((key) => key ?? PERSON);
  } catch {
    issuer.set(() => null);
  }
}

interface SignInState {
  readonly issuer: string | null;
  readonly signed_in: boolean;
}

/** Returns the address that sends the browser to the issuer, and back to this page with its filters. */
export const signInAddress = (): string => `/auth/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;

/**
 * Ends the session of the person, here and at an issuer that publishes where, or forgets the key of this tab.
 * @throws QuipuError if the server cannot end it
 */
export async function signOut(): Promise<void> {
  const continueAt = session.get() === PERSON ? await endAtServer() : null;
  endSession();
  if (continueAt !== null) location.assign(continueAt);
}

/** @returns the address at which the session at the issuer ends; null if it publishes none */
async function endAtServer(): Promise<string | null> {
  const service = serviceOf(PERSON, SIGN_OUT_TIMEOUT_MS);
  const response = await send(service, '/auth/sign-out', { method: 'POST' });
  if (response.status === 204) return null;
  return ((await read(service, response)) as { readonly continue_at: string }).continue_at;
}
