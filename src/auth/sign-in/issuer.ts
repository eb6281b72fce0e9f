import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { type Clock, HOUR_MS } from '../../domain/time.ts';
import type { BoundedFetch, BoundedFetchOptions } from '../../sources/http/bounded-fetch.ts';
import { type Claims, claimOf, hasName } from './claims.ts';
import { SignInFailure, signInFailureOf } from './failure.ts';

export interface IssuerSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  readonly scope: string;
  /** Name of the claim of roles, which may come from the userinfo endpoint only. */
  readonly roleClaim: string;
  readonly redirectUrl: string;
  /** Address to which the issuer sends a browser after a sign-out. */
  readonly signedOutUrl: string;
}

/** The secrets of one sign-in, which its browser keeps until the issuer sends it back. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  /** Code verifier of PKCE. */
  readonly verifier: string;
}

/** The issuer of OpenID Connect, as a relying party uses it: authorization code with PKCE, state and nonce. */
export interface Issuer {
  /** Returns the address at which a person signs in, with new secrets. @throws SignInFailure ISSUER_UNAVAILABLE, ISSUER_ANSWER_INVALID */
  begin(): Promise<{ readonly url: string; readonly secrets: SignInSecrets }>;
  /**
   * Redeems the code in the address to which the issuer has sent a browser back, and returns the claims of the person. The signature, the
   * issuer, the client, the nonce and the times of the ID token are verified. No token is kept.
   * @throws SignInFailure
   */
  redeem(url: URL, secrets: SignInSecrets): Promise<Claims & { readonly sub: string }>;
  /**
   * Returns the address at which a browser ends the session of its person at the issuer (OpenID Connect RP-Initiated Logout); null if the
   * issuer publishes none. It has no ID token, because none is kept, so an issuer may ask the person to confirm. @throws SignInFailure
   */
  signOutUrl(): Promise<string | null>;
  /** Reads the discovery document anew. @throws SignInFailure */
  check(): Promise<void>;
}

/** Age of the discovery document after which it is read again. Keys are read again by the library when a token names an unknown one. */
const DISCOVERY_MS = HOUR_MS;
/** Difference of clocks up to which times of a token count as right. */
const TOLERANCE_SECONDS = 60;

/** Creates the client of an issuer. It calls the issuer when it is used for the first time. */
export function createIssuer(
  settings: IssuerSettings,
  { fetch, now }: { readonly fetch: BoundedFetch['fetch']; readonly now: Clock },
): Issuer {
  const { clientId, clientSecret, scope, roleClaim, redirectUrl, signedOutUrl } = settings;
  const issuer = new URL(settings.issuer);
  let known: { readonly configuration: Promise<Configuration>; readonly readAt: number } | null = null;

  /** A server error of the issuer is a failure of the issuer, whatever its body says. */
  async function call(url: string, options: BoundedFetchOptions): Promise<Response> {
    const response = await fetch(url, options).catch((cause: unknown) => {
      throw new SignInFailure('ISSUER_UNAVAILABLE', `${new URL(url).host} did not answer`, { cause });
    });
    if (response.status >= 500) throw new SignInFailure('ISSUER_UNAVAILABLE', `${new URL(url).host} answered ${response.status}`);
    return response;
  }

  const discover = (): Promise<Configuration> =>
    discovery(issuer, clientId, { [clockTolerance]: TOLERANCE_SECONDS }, clientSecret === null ? None() : ClientSecretPost(clientSecret), {
      [customFetch]: call,
      // The settings accept plain http for this machine only.
      execute: [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
    }).catch(refuse);

  /** Returns the configuration by the discovery document. Concurrent callers share one read, and a failed one is not kept. */
  function configuration(): Promise<Configuration> {
    if (known && now() - known.readAt < DISCOVERY_MS) return known.configuration;
    const read = { configuration: discover(), readAt: now() };
    known = read;
    read.configuration.catch(() => {
      if (known === read) known = null;
    });
    return read.configuration;
  }

  async function claimsOf(configured: Configuration, url: URL, { state, nonce, verifier }: SignInSecrets) {
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    const tokens = await authorizationCodeGrant(configured, url, checks);
    const claims = tokens.claims();
    if (!claims) throw new SignInFailure('ISSUER_ANSWER_INVALID', 'the issuer sent no ID token');
    const isComplete = hasName(claims) && claimOf(claims, roleClaim) !== undefined;
    if (isComplete || configured.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await fetchUserInfo(configured, tokens.access_token, claims.sub)), ...claims };
  }

  return {
    async begin() {
      const configured = await configuration();
      const secrets = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const url = buildAuthorizationUrl(configured, {
        redirect_uri: redirectUrl,
        scope,
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, secrets };
    },
    async redeem(url, secrets) {
      const configured = await configuration();
      return claimsOf(configured, url, secrets).catch(refuse);
    },
    async signOutUrl() {
      const configured = await configuration();
      if (configured.serverMetadata().end_session_endpoint === undefined) return null;
      try {
        return buildEndSessionUrl(configured, { post_logout_redirect_uri: signedOutUrl }).href;
      } catch (error) {
        return refuse(error);
      }
    },
    async check() {
      await discover();
    },
  };
}

/** Converts what the library throws to a failure. Errors of the authorization response and of the token endpoint have a code of OAuth. */
function refuse(error: unknown): never {
  const known = signInFailureOf(error);
  if (known) throw known;
  if (error instanceof AuthorizationResponseError)
    throw new SignInFailure('SIGN_IN_REFUSED', `the issuer refused the person: ${oauthCode(error.error)}`);
  if (error instanceof ResponseBodyError) {
    const isUsed = error.error === 'invalid_grant';
    throw new SignInFailure(isUsed ? 'SIGN_IN_EXPIRED' : 'ISSUER_ANSWER_INVALID', `the issuer refused the code: ${oauthCode(error.error)}`);
  }
  const { code, message } = error instanceof Error ? (error as Error & { readonly code?: unknown }) : { code: undefined, message: '' };
  throw new SignInFailure('ISSUER_ANSWER_INVALID', `the answer of the issuer is not valid: ${String(code ?? '')} ${message}`.trim());
}

/** Returns a code of OAuth for the log; texts of another form are the issuer's and may name a person. */
const oauthCode = (code: string): string => (/^[a-z_]{1,40}$/.test(code) ? code : 'another code');
