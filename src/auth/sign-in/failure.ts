/**
 * Codes of the reasons for which a person is not signed in, with the HTTP status of the page that says so:
 * - ISSUER_UNAVAILABLE: the issuer did not answer, or failed.
 * - ISSUER_ANSWER_INVALID: it sent something that OpenID Connect forbids, such as a token for another client or with another nonce.
 * - SIGN_IN_EXPIRED: the sign-in took too long, belongs to another browser, or its code was used before.
 * - SIGN_IN_REFUSED: the issuer refused the person, or she cancelled.
 * - ROLE_NOT_ASSIGNED: none of her roles at the issuer is one of this service.
 * - KEY_NOT_VALID: the API key through which people act is revoked, expired or unknown.
 */
export const SIGN_IN_STATUS = {
  ISSUER_UNAVAILABLE: 503,
  ISSUER_ANSWER_INVALID: 502,
  SIGN_IN_EXPIRED: 400,
  SIGN_IN_REFUSED: 403,
  ROLE_NOT_ASSIGNED: 403,
  KEY_NOT_VALID: 503,
} as const;

export type SignInCode = keyof typeof SIGN_IN_STATUS;

/** A sign-in that failed. `message` is for the log, without tokens and codes; people see a text for the code. */
export class SignInFailure extends Error {
  override readonly name = 'SignInFailure';
  readonly code: SignInCode;

  constructor(code: SignInCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Returns the failure that an error is or was caused by; null for any other error. Libraries wrap what their `fetch` throws. */
export function signInFailureOf(error: unknown): SignInFailure | null {
  for (let one: unknown = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth += 1)
    if (one instanceof SignInFailure) return one;
  return null;
}
