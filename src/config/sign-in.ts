import { z } from 'zod';
import type { RoleRules } from '../auth/sign-in/claims.ts';
import type { SignInSettings } from '../auth/sign-in/sign-in.ts';
import { DAY_MS, DURATION, durationMs, MINUTE_MS } from '../domain/time.ts';

const role = z.enum(['read', 'decide', 'administer'], 'expected read, decide or administer');
const roles = z.record(z.string().min(1), role);

const EXPECTED_ROLES = 'expected JSON such as {"quipu-admins":"administer","analysts":"decide"}';

/** Parses the JSON of QUIPU_OIDC_ROLES. The error message contains no values. */
function readRoles(text: string, context: z.RefinementCtx): RoleRules['byValue'] {
  try {
    const read = roles.safeParse(JSON.parse(text));
    if (read.success) return new Map(Object.entries(read.data));
  } catch {
    // The text is not JSON.
  }
  context.addIssue({ code: 'custom', message: EXPECTED_ROLES });
  return z.NEVER;
}

/** Schema of a duration from 5 minutes to 30 days, as text. */
const lifetime = (fallback: string) =>
  z
    .string()
    .regex(DURATION, 'expected a duration such as 30m or 12h')
    .refine((text) => durationMs(text) >= 5 * MINUTE_MS && durationMs(text) <= 30 * DAY_MS, 'expected between 5m and 30d')
    .default(fallback);

/** Accepts https, and plain http on this machine only, because secrets and tokens are sent to the issuer. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (url?.search !== '' || url.hash !== '' || url.username !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname));
}

/** Issuers for the people of all organisations, who could name their roles themselves. */
const OF_ALL = /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)(?:\/|$)/;

/** Settings of the sign-in by OpenID Connect. */
export const signInSettings = {
  QUIPU_OIDC_ISSUER: {
    schema: z
      .string()
      .refine(isIssuer, 'expected an https address such as https://login.example.com/realms/acme')
      .refine((text) => !OF_ALL.test(text), 'expected the issuer of one organisation, with its tenant id')
      .optional(),
    description:
      'Issuer of OpenID Connect at which people sign in to the dashboard, such as https://login.example.com/realms/acme. Without it they sign in with an API key.',
  },
  QUIPU_OIDC_CLIENT_ID: {
    schema: z.string().min(1).optional(),
    description: 'Client id of this service at the issuer. Its redirect address there is QUIPU_PUBLIC_URL/auth/callback.',
  },
  QUIPU_OIDC_CLIENT_SECRET: {
    schema: z.string().min(1).optional(),
    description: 'Client secret of this service at the issuer. Without it the service is a public client, which uses PKCE alone.',
  },
  QUIPU_OIDC_NAME: {
    schema: z.string().max(60, 'expected at most 60 characters').optional(),
    description: 'Name of the issuer on the button "Sign in with …"; its host by default.',
  },
  QUIPU_OIDC_SCOPE: {
    schema: z
      .string()
      .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'expected scopes with blanks between them')
      .refine((text) => text.split(' ').includes('openid'), 'expected openid among the scopes')
      .default('openid profile email'),
    description: 'Scopes that are requested from the issuer. Some issuers send the claim of roles only for a further scope.',
  },
  QUIPU_OIDC_KEY: {
    schema: z.uuid('expected the id of an API key').optional(),
    description:
      'Id of the API key through which the people of the issuer act: they belong to its account, with its modules and its plan, and their answers are counted for it.',
  },
  QUIPU_OIDC_ROLE_CLAIM: {
    schema: z.string().min(1).default('roles'),
    description:
      'Claim that has the roles of a person: a text or a list of texts. A path with points, such as realm_access.roles, is possible.',
  },
  QUIPU_OIDC_ROLES: {
    schema: z.string().transform(readRoles).optional(),
    description:
      'Roles by the values of that claim, as JSON: {"quipu-admins":"administer","analysts":"decide"}. Of several the highest one counts, and no role is higher than that of QUIPU_OIDC_KEY.',
  },
  QUIPU_OIDC_DEFAULT_ROLE: {
    schema: role.optional(),
    description: 'Role of people without one of these values. Without it they are refused.',
  },
  QUIPU_OIDC_SESSION: {
    schema: lifetime('12h'),
    description: 'Time after which a person has to sign in again, 5m to 30d.',
  },
  QUIPU_OIDC_IDLE: {
    schema: lifetime('1h'),
    description: 'Time without a request after which a person has to sign in again, 5m to 30d. An open page sends requests.',
  },
} as const;

type Given = { readonly [name in keyof typeof signInSettings]: z.output<(typeof signInSettings)[name]['schema']> } & {
  readonly QUIPU_PUBLIC_URL: string | undefined;
};

/** Returns the settings that are missing, a sentence each; none without an issuer. */
export function signInProblems(given: Given): readonly string[] {
  if (given.QUIPU_OIDC_ISSUER === undefined) return [];
  const needed = ['QUIPU_OIDC_CLIENT_ID', 'QUIPU_OIDC_KEY', 'QUIPU_PUBLIC_URL'] as const;
  const missing = needed.filter((name) => given[name] === undefined).map((name) => `${name}: QUIPU_OIDC_ISSUER needs it`);
  const hasRoles = given.QUIPU_OIDC_ROLES !== undefined || given.QUIPU_OIDC_DEFAULT_ROLE !== undefined;
  return hasRoles ? missing : [...missing, 'QUIPU_OIDC_ROLES: QUIPU_OIDC_ISSUER needs it, or QUIPU_OIDC_DEFAULT_ROLE'];
}

/** Returns the settings of the sign-in; null without an issuer. */
export function signInOf(given: Given): SignInSettings | null {
  const { QUIPU_OIDC_ISSUER: issuer, QUIPU_OIDC_CLIENT_ID: clientId, QUIPU_OIDC_KEY: keyId, QUIPU_PUBLIC_URL: publicUrl } = given;
  if (issuer === undefined || clientId === undefined || keyId === undefined || publicUrl === undefined) return null;
  return {
    issuer,
    clientId,
    clientSecret: given.QUIPU_OIDC_CLIENT_SECRET ?? null,
    name: given.QUIPU_OIDC_NAME ?? new URL(issuer).host,
    scope: given.QUIPU_OIDC_SCOPE,
    keyId,
    roles: {
      claim: given.QUIPU_OIDC_ROLE_CLAIM,
      byValue: given.QUIPU_OIDC_ROLES ?? new Map(),
      fallback: given.QUIPU_OIDC_DEFAULT_ROLE ?? null,
    },
    publicUrl: publicUrl.replace(/\/$/, ''),
    maxAgeMs: durationMs(given.QUIPU_OIDC_SESSION),
    idleMs: durationMs(given.QUIPU_OIDC_IDLE),
  };
}
