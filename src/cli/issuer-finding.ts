import { SignInFailure } from '../auth/sign-in/failure.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../domain/time.ts';
import { createBoundedFetch } from '../sources/http/bounded-fetch.ts';
import { type Finding, ok, problem } from './finding.ts';

/** Checks the discovery document of the issuer, if people sign in with one. It needs no client secret, and changes nothing. */
export async function issuerFindings({ signIn }: Pick<Config, 'signIn'>, now: Clock = Date.now): Promise<readonly Finding[]> {
  if (!signIn) return [];
  const { createIssuer } = await import('../auth/sign-in/issuer.ts'); // other commands do not load the library
  const { fetch, close } = createBoundedFetch();
  try {
    const { publicUrl } = signIn;
    await createIssuer(
      { ...signIn, roleClaim: signIn.roles.claim, redirectUrl: publicUrl, signedOutUrl: publicUrl },
      { fetch, now },
    ).check();
    return [ok('issuer', `${signIn.issuer} is ready; its redirect address for this service: ${publicUrl}/auth/callback`)];
  } catch (error) {
    const found = error instanceof SignInFailure ? `${error.code}: ${error.message}` : String(error);
    return [problem('issuer', found, 'correct QUIPU_OIDC_ISSUER, or let this machine reach it; until then people sign in with keys only')];
  } finally {
    await close();
  }
}
