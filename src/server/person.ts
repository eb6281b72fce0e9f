import type { IncomingHttpHeaders } from 'node:http';
import type { People } from '../auth/authenticate.ts';
import type { Caller } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import { requestMessages } from '../messages/requests.ts';
import { cookieOf, sessionCookie } from './cookies.ts';

/**
 * The text that a page sends in place of an API key: the request is that of the person whose session is in the cookie. A cookie alone
 * authenticates nothing. Pages of other origins can send neither this header without a preflight request, which is refused, nor the first
 * message of a socket from an origin of this service.
 */
export const SESSION_KEY = 'session';

/** The sender of a request, as far as the request shows it. */
export interface Sender {
  /** IP address of the client. */
  readonly address: string;
  /** Token of the session cookie; null without one. */
  readonly sessionToken: string | null;
  /** False for a request that a page of another origin has started. */
  readonly isOwnPage: boolean;
}

/** Reads what a request says about its sender. @param people undefined or null if people sign in with an API key only */
export function senderOf(headers: IncomingHttpHeaders, address: string, people: People | null | undefined): Sender {
  if (!people) return { address, sessionToken: null, isOwnPage: false };
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwnPage = (origin === undefined || origin === people.origin) && (site === undefined || site === 'same-origin');
  return { address, sessionToken: cookieOf(headers, sessionCookie(people.origin)), isOwnPage };
}

/**
 * Returns the caller of a person's session.
 * @throws AppError ORIGIN_NOT_ALLOWED for a request of another page; SESSION_ENDED; RATE_LIMITED for too many unknown sessions of an address;
 * Error when the database fails
 */
export async function requirePerson({ address, sessionToken, isOwnPage }: Sender, people: People | null | undefined): Promise<Caller> {
  if (people && !isOwnPage) throw new AppError('ORIGIN_NOT_ALLOWED', requestMessages.originRefused());
  const caller = people && sessionToken !== null ? await people.authenticate(sessionToken, address) : null;
  if (!caller) throw sessionEnded();
  return caller;
}

export const sessionEnded = (): AppError => new AppError('SESSION_ENDED', requestMessages.sessionEnded());
