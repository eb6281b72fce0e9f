import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Authenticator } from '../../auth/authenticate.ts';
import { networkOf } from '../../auth/invalid-keys.ts';
import { SIGN_IN_STATUS, signInFailureOf } from '../../auth/sign-in/failure.ts';
import { ATTEMPT_MS, CALLBACK_PATH, type SignIn } from '../../auth/sign-in/sign-in.ts';
import { limitName } from '../../cache/shared-limits.ts';
import { databaseUnavailable } from '../../db/unavailable.ts';
import { AppError } from '../../domain/errors.ts';
import type { LimitedAction } from '../../domain/plan.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { requestMessages } from '../../messages/requests.ts';
import { signInMessages } from '../../messages/sign-in.ts';
import type { RateLimiter } from '../../metering/rate-limit.ts';
import { attemptCookie, cookieOf, isSecure, sessionCookie, setCookie } from '../cookies.ts';
import { requirePerson, SESSION_KEY, senderOf } from '../person.ts';
import { apiKeyOf, originRefused } from '../request.ts';
import { sendSignInPage } from './page.ts';

export interface SignInParts {
  /** Null if people sign in with an API key only. */
  readonly signIn: SignIn | null;
  readonly authenticator: Authenticator;
  readonly rateLimiter: Pick<RateLimiter, 'takeAction'>;
  readonly log: Logger;
}

/** Attempts of one address. An office has one address for all its people. */
const ATTEMPT: LimitedAction = { name: 'sign_in', rate: { perMinute: 60, burst: 60 } };

/** Maximum size of a body, which nothing reads. */
const MAX_BODY_BYTES = 1_024;

const AUTH_PATH = '/auth';
/** Pages of the dashboard, to which a sign-in may lead, with their filters. An address of another site is not one of them. */
const PAGE = /^\/dashboard(?:\/[\w%.~-]+)*\/?(?:\?[\w%.~*+&=-]*)?$/;
/** Maximum length of a page. A cookie has it, encrypted, and browsers drop cookies of more than 4 KB. */
const MAX_PAGE_LENGTH = 1_500;

/**
 * Mounts the routes of the sign-in: `/auth/session` says how people sign in, `/auth/sign-in` sends a browser to the issuer, `/auth/callback`
 * takes it back, and `/auth/sign-out` ends its session. Without an issuer only the first one exists.
 */
export function mountSignIn(server: FastifyInstance, { signIn, authenticator, rateLimiter, log }: SignInParts): void {
  server.get(`${AUTH_PATH}/session`, async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    return { issuer: signIn?.settings.name ?? null, signed_in: signIn !== null && (await isSignedIn(request, authenticator)) };
  });
  if (!signIn) return;
  const { publicUrl, name: issuer } = signIn.settings;
  const { origin } = new URL(publicUrl);
  const secure = isSecure(origin);
  const keepAttempt = (value: string, maxAge: number) => setCookie(attemptCookie(origin), value, { secure, path: '/', maxAge });

  /** Answers with a page if the sign-in fails, because a person sees it. */
  async function orPage(request: FastifyRequest, reply: FastifyReply, work: () => Promise<unknown>): Promise<unknown> {
    void reply.header('cache-control', 'no-store');
    const { allowed, nextMs } = await rateLimiter.takeAction(limitName('address', networkOf(request.ip)), ATTEMPT);
    if (!allowed) {
      const seconds = Math.ceil(nextMs / SECOND_MS);
      return sendSignInPage(reply.header('retry-after', String(seconds)), 429, 'RATE_LIMITED', signInMessages.tooMany({ seconds }));
    }
    try {
      return await work();
    } catch (error) {
      const failure = signInFailureOf(error);
      if (failure) {
        const { code, message, cause } = failure;
        log.warn({ code, why: message, cause: cause instanceof Error ? cause.message : undefined }, 'a person was not signed in');
        return sendSignInPage(reply, SIGN_IN_STATUS[code], code, signInMessages[code]({ issuer }));
      }
      const away = databaseUnavailable(error as Error);
      if (!away) log.error({ err: error }, 'request failed');
      return away
        ? sendSignInPage(reply.header('retry-after', '2'), 503, 'SERVICE_UNAVAILABLE', requestMessages.databaseAway())
        : sendSignInPage(reply, 500, 'INTERNAL');
    }
  }

  server.get<{ Querystring: { readonly to?: unknown } }>(`${AUTH_PATH}/sign-in`, (request, reply) =>
    orPage(request, reply, async () => {
      const { url, attempt } = await signIn.begin(pageOf(request.query.to));
      return reply.header('set-cookie', keepAttempt(attempt, ATTEMPT_MS / SECOND_MS)).redirect(url, 303);
    }),
  );

  server.get(CALLBACK_PATH, { exposeHeadRoute: false }, (request, reply) =>
    orPage(request, reply, async () => {
      void reply.headers({ 'set-cookie': keepAttempt('', 0), 'referrer-policy': 'no-referrer' });
      const { url } = request.raw;
      const query = url?.split('?').slice(1).join('?') ?? '';
      const { token, to } = await signIn.complete(query, cookieOf(request.headers, attemptCookie(origin)));
      const replaced = cookieOf(request.headers, sessionCookie(origin));
      if (replaced !== null) await signIn.sessions.end(replaced);
      return reply.header('set-cookie', setCookie(sessionCookie(origin), token, { secure, path: '/' })).redirect(to, 303);
    }),
  );

  server.post(`${AUTH_PATH}/sign-out`, { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const { sessionToken, isOwnPage } = senderOf(request.headers, request.ip, authenticator.people);
    if (!isOwnPage || apiKeyOf(request.headers) !== SESSION_KEY) throw originRefused();
    const continueAt = await signIn.end(sessionToken);
    void reply.headers({
      'set-cookie': setCookie(sessionCookie(origin), '', { secure, path: '/', maxAge: 0 }),
      'cache-control': 'no-store',
    });
    return continueAt === null ? reply.status(204).send() : { continue_at: continueAt };
  });
}

/** True for a request with the cookie of a session that has not ended. */
async function isSignedIn({ headers, ip }: FastifyRequest, { people }: Authenticator): Promise<boolean> {
  const sender = senderOf(headers, ip, people);
  if (sender.sessionToken === null) return false;
  try {
    await requirePerson(sender, people);
    return true;
  } catch (error) {
    if (error instanceof AppError && (error.code === 'SESSION_ENDED' || error.code === 'ORIGIN_NOT_ALLOWED')) return false;
    throw error;
  }
}

/** Returns the page of the dashboard to which a sign-in leads: the given one, without its filters if they are too long or unreadable. */
function pageOf(to: unknown): string {
  if (typeof to !== 'string') return '/dashboard';
  const [path = ''] = to.split('?', 1);
  return [to, path].find(isPage) ?? '/dashboard';
}

/** True for the path and query of a page of the dashboard that stay the same when a browser resolves them. */
function isPage(to: string): boolean {
  if (to.length > MAX_PAGE_LENGTH || !PAGE.test(to)) return false;
  const { pathname, search } = new URL(to, 'http://localhost');
  return pathname + search === to;
}
