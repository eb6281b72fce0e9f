/**
 * Terminology of auth/:
 * - API key: what a customer sends in X-API-Key. It has modules, a plan, an expiry and one or more secrets.
 * - Secret: the text `sk_…` itself. Only its keyed hash (HMAC-SHA-256) is stored. Rotation adds a secret and ends the old ones.
 * - Account: the customer that keys belong to.
 * - Caller: the valid API key behind a request, or the person who acts through it, with its account, modules and plan (`src/context.ts`).
 * - Person session: the sign-in of a person by OpenID Connect, whose token is in a cookie. Only the keyed hash of the token is stored.
 * - Authenticator: finds the caller of a secret, limits invalid keys by address and records when keys were last used.
 * - Module: a unit of data that is sold. `requireModule` refuses a caller whose key does not have it (`src/metering/ask.ts`).
 * - Bootstrap key: the operator's own key from QUIPU_BOOTSTRAP_KEY, with all modules.
 * - Trusted document: a GraphQL document that an operator registered; some keys may run no others.
 * - Actor: who made a change, as the audit log names it: an operator, a key or the server.
 * - Erasure: deletion of everything that is stored about an account.
 */
import type { Caller } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import { requestMessages } from '../messages/requests.ts';
import type { Keys } from './api-keys/keys.ts';
import type { InvalidKeyLimit } from './invalid-keys.ts';
import type { LastUse } from './last-use.ts';
import type { PersonSessions } from './sign-in/person-sessions.ts';

/**
 * Finds the caller of an API key; null for an invalid key. `address` is the client's IP address.
 * @throws AppError RATE_LIMITED for an invalid key from an address that sent too many of them; Error when the database fails
 */
export type Authenticate = (key: string, address: string) => Promise<Caller | null>;

/** Checks API keys: at the start of each request, and repeatedly while a socket or event stream is open. */
export interface Authenticator {
  readonly authenticate: Authenticate;
  /** Returns the caller that `authenticate` would return from memory, and counts it as a use of the key; null for any other key. */
  readonly known: (key: string) => Caller | null;
  /**
   * Returns the callers of hashes of secrets, without those whose secret or key became invalid. It counts as a use of the keys, and runs
   * one statement.
   */
  readonly stillValid: Keys['stillValid'];
  /** People who signed in; null or absent if people sign in with an API key only. */
  readonly people?: People | null;
}

/** Authenticates people by the sessions that they got when they signed in. */
export interface People {
  /** Origin of this service, whose pages may use the cookie of a session. */
  readonly origin: string;
  /**
   * Finds the caller of the token of a session; null for an unknown or ended one.
   * @throws AppError RATE_LIMITED for an unknown one from an address that sent too many of them; Error when the database fails
   */
  authenticate(token: string, address: string): Promise<Caller | null>;
}

export interface AuthenticatorDeps {
  readonly keys: Pick<Keys, 'find' | 'known' | 'stillValid'>;
  readonly lastUse: Pick<LastUse, 'record'>;
  readonly invalidKeys: InvalidKeyLimit;
  /** Sessions of people; null if people sign in with an API key only. */
  readonly sessions?: { readonly origin: string; readonly people: Pick<PersonSessions, 'find' | 'stillValid'> } | null;
}

/** Creates the authenticator. A valid key is never limited here, however many invalid keys come from its address or from others. */
export function createAuthenticator({ keys, lastUse, invalidKeys, sessions = null }: AuthenticatorDeps): Authenticator {
  /** Finds a caller, and counts what is not valid against the address. */
  async function limited(address: string, find: (isFlood: boolean) => Promise<Caller | null>): Promise<Caller | null> {
    const attempt = invalidKeys.begin(address);
    const caller = await find(attempt.isFlood).finally(attempt.end);
    if (caller) {
      lastUse.record(caller.keyId);
      return caller;
    }
    const retryAfterSeconds = await attempt.countInvalid();
    if (retryAfterSeconds > 0)
      throw new AppError('RATE_LIMITED', requestMessages.tooManyInvalidKeys(), {
        retryAfterSeconds,
      });
    return null;
  }

  return {
    authenticate: (key, address) => limited(address, (isFlood) => keys.find(key, { isFlood })),

    known(key) {
      const caller = keys.known(key);
      if (caller) lastUse.record(caller.keyId);
      return caller;
    },

    async stillValid(hashes) {
      const [ofKeys, ofPeople] = await Promise.all([keys.stillValid(hashes), sessions?.people.stillValid(hashes)]);
      const callers = new Map([...ofKeys, ...(ofPeople ?? [])]);
      for (const { keyId } of callers.values()) lastUse.record(keyId);
      return callers;
    },

    people: sessions && {
      origin: sessions.origin,
      authenticate: (token, address) => limited(address, (isFlood) => sessions.people.find(token, { isFlood })),
    },
  };
}
