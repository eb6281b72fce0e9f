/**
 * Terminology of auth/:
 * - API key: what a customer sends in X-API-Key. It has modules, a plan, an expiry and one or more secrets.
 * - Secret: the text `sk_…` itself. Only its keyed hash (HMAC-SHA-256) is stored. Rotation adds a secret and ends the old ones.
 * - Account: the customer that keys belong to.
 * - Caller: the valid API key behind a request, with its account, modules and plan (`src/context.ts`).
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
}

export interface AuthenticatorDeps {
  readonly keys: Pick<Keys, 'find' | 'known' | 'stillValid'>;
  readonly lastUse: Pick<LastUse, 'record'>;
  readonly invalidKeys: InvalidKeyLimit;
}

/** Creates the authenticator. A valid key is never limited here, however many invalid keys come from its address or from others. */
export const createAuthenticator = ({ keys, lastUse, invalidKeys }: AuthenticatorDeps): Authenticator => ({
  async authenticate(key, address) {
    const attempt = invalidKeys.begin(address);
    const caller = await keys.find(key, { isFlood: attempt.isFlood }).finally(attempt.end);
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
  },

  known(key) {
    const caller = keys.known(key);
    if (caller) lastUse.record(caller.keyId);
    return caller;
  },

  async stillValid(secretHashes) {
    const callers = await keys.stillValid(secretHashes);
    for (const { keyId } of callers.values()) lastUse.record(keyId);
    return callers;
  },
});
