import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { createSealer } from '../../db/sealer.ts';
import { type Clock, MINUTE_MS } from '../../domain/time.ts';
import type { BoundedFetch } from '../../sources/http/bounded-fetch.ts';
import { nameOf, type RoleRules, roleOf } from './claims.ts';
import { SignInFailure, signInFailureOf } from './failure.ts';
import { createIssuer, type Issuer, type SignInSecrets } from './issuer.ts';
import { createPersonSessions, type PersonSessions } from './person-sessions.ts';

/** The settings of the sign-in by OpenID Connect, which an operator gives. */
export interface SignInSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  /** Name of the issuer, as the page shows it. */
  readonly name: string;
  readonly scope: string;
  /** Id of the API key through which people act. Its account, modules, role and plan are the limits of theirs. */
  readonly keyId: string;
  readonly roles: RoleRules;
  /** Address of this service, without a slash at its end. */
  readonly publicUrl: string;
  readonly maxAgeMs: number;
  readonly idleMs: number;
}

export interface SignInDeps {
  readonly db: Knex;
  readonly now: Clock;
  /** Secret of keyed hashes and sealed values. */
  readonly secret: string;
  readonly fetch: BoundedFetch['fetch'];
  readonly log: Pick<Logger, 'warn'>;
}

/** Path to which the issuer sends browsers back. */
export const CALLBACK_PATH = '/auth/callback';
/** Path to which the issuer sends browsers after a sign-out. */
const SIGNED_OUT_PATH = '/dashboard';
/** Time for which a person may take to sign in at the issuer. */
export const ATTEMPT_MS = 10 * MINUTE_MS;

/** A sign-in that has begun: the browser keeps it as a sealed text, so that strangers who begin many store nothing here. */
interface Attempt extends SignInSecrets {
  /** Path of the page that is opened afterwards. */
  readonly to: string;
  /** Epoch ms. */
  readonly endsAt: number;
}

/** Signs people in by OpenID Connect. */
export interface SignIn {
  readonly settings: SignInSettings;
  readonly issuer: Pick<Issuer, 'check'>;
  readonly sessions: PersonSessions;
  /**
   * Begins a sign-in. Returns the address of the issuer, and the sealed attempt for the browser.
   * @param to path of the page that is opened afterwards
   * @throws SignInFailure
   */
  begin(to: string): Promise<{ readonly url: string; readonly attempt: string }>;
  /**
   * Ends a session. Returns the address at which the browser ends the session at the issuer, too; null if the issuer publishes none or cannot
   * be read, which is logged.
   * @param token token of the session; null if the browser has none
   */
  end(token: string | null): Promise<string | null>;
  /**
   * Completes it: verifies what the issuer sent, and creates a session. Returns the token of the session.
   * @param query query of the address to which the issuer sent the browser, without `?`
   * @param attempt sealed attempt of this browser; null if it has none
   * @throws SignInFailure
   */
  complete(query: string, attempt: string | null): Promise<{ readonly token: string; readonly to: string }>;
}

export function createSignIn(settings: SignInSettings, { db, now, secret, fetch, log }: SignInDeps): SignIn {
  const { publicUrl, roles } = settings;
  const redirectUrl = `${publicUrl}${CALLBACK_PATH}`;
  const issuer = createIssuer(
    { ...settings, roleClaim: roles.claim, redirectUrl, signedOutUrl: `${publicUrl}${SIGNED_OUT_PATH}` },
    { fetch, now },
  );
  const sessions = createPersonSessions({ ...settings, db, now, secret });
  const sealer = createSealer(secret, 'sign-in');

  /** @throws SignInFailure SIGN_IN_EXPIRED for an attempt that ended, and for one that is not ours */
  function openAttempt(sealed: string | null, state: string | null): Attempt {
    const attempt = sealed === null ? null : unsealed(sealed);
    if (!attempt || attempt.endsAt <= now()) throw new SignInFailure('SIGN_IN_EXPIRED', 'the browser has no attempt, or a late one');
    if (state !== attempt.state) throw new SignInFailure('SIGN_IN_EXPIRED', 'the state is that of another attempt');
    return attempt;
  }

  function unsealed(sealed: string): Attempt | null {
    try {
      return JSON.parse(sealer.open(Buffer.from(sealed, 'base64url'))) as Attempt;
    } catch {
      return null; // sealed under another secret, or not by us
    }
  }

  return {
    settings,
    issuer,
    sessions,
    async begin(to) {
      const { url, secrets } = await issuer.begin();
      const attempt: Attempt = { ...secrets, to, endsAt: now() + ATTEMPT_MS };
      return { url, attempt: sealer.seal(JSON.stringify(attempt)).toString('base64url') };
    },
    async end(token) {
      if (token !== null) await sessions.end(token);
      return issuer.signOutUrl().catch((error: unknown) => {
        const failure = signInFailureOf(error);
        if (!failure) throw error;
        log.warn({ code: failure.code, why: failure.message }, 'a person was signed out here only');
        return null;
      });
    },
    async complete(query, sealed) {
      const { to, ...secrets } = openAttempt(sealed, new URLSearchParams(query).get('state'));
      const claims = await issuer.redeem(new URL(`${redirectUrl}?${query}`), secrets);
      const role = roleOf(claims, roles);
      if (role === null) throw new SignInFailure('ROLE_NOT_ASSIGNED', 'no role of the person is one of QUIPU_OIDC_ROLES');
      const person = nameOf(claims);
      if (!person) throw new SignInFailure('ISSUER_ANSWER_INVALID', 'the issuer sent no claim name, preferred_username or email');
      return { token: await sessions.create({ ...person, subject: claims.sub, role }), to };
    },
  };
}
