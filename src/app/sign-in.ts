import { createSignIn, type SignIn, type SignInDeps } from '../auth/sign-in/sign-in.ts';
import { createBoundedFetch } from '../sources/http/bounded-fetch.ts';
import type { Closing } from './closing.ts';
import type { ConfigWithSecret } from './data-folder.ts';

/** Creates the sign-in of people by OpenID Connect; null without an issuer. The issuer is called when a person signs in for the first time. */
export function openSignIn(
  { signIn, keySecret }: Pick<ConfigWithSecret, 'signIn' | 'keySecret'>,
  deps: Pick<SignInDeps, 'db' | 'now' | 'log'>,
  closing: Closing,
): SignIn | null {
  if (!signIn) return null;
  const issuerFetch = createBoundedFetch();
  closing.add(() => issuerFetch.close());
  return createSignIn(signIn, { ...deps, secret: keySecret, fetch: issuerFetch.fetch });
}
